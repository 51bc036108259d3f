import FoundationEssentials
import Glibc

/// Processes that carry the mark of one stack in their environment: what our children started and did not end, such as
/// Erlang's port mapper, which leaves its process group.
enum Leftovers {
    /// The variable that every process of a stack inherits; its value is the stack's folder.
    static let mark = "MOBILE_DELIVERY_STACK"

    /// `variable` narrows the choice to those that also have this `NAME=value`.
    static func of(_ folder: String, having variable: String? = nil) -> [ProcessIdentity] {
        let wanted = Set((["\(mark)=\(folder)"] + (variable.map { [$0] } ?? [])).map { Data($0.utf8) })
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
        return numbers.filter { number in
            // Unreadable: the process of another user, which we can't have started.
            guard let environment = FileManager.default.contents(atPath: "/proc/\(number)/environ") else {
                return false
            }
            return wanted.isSubset(of: environment.split(separator: 0).map { Data($0) })
        }.compactMap(ProcessIdentity.init(of:))
    }

    /// Ends all of them at once and waits for it.
    static func end(of folder: String, having variable: String? = nil) async {
        let processes = of(folder, having: variable).filter { $0.id != getpid() }
        for process in processes { process.signal(SIGKILL) }
        for process in processes {
            _ = await process.waitForEnd(within: .seconds(5))
            process.collect()
        }
    }
}
