import FoundationEssentials
import Glibc

/// Processes that carry the mark of one stack in their environment: what our children started and did not end, such as
/// Erlang's port mapper, which leaves its process group.
enum Leftovers {
    /// The variable that every process of a stack inherits; its value is the stack's folder.
    static let mark = "LOCAL_STACK_FOLDER"

    /// `variable` narrows the choice to those that also have this `NAME=value`.
    static func of(_ folder: String, having variable: String? = nil) -> [ProcessIdentity] {
        let wanted = Set(["\(mark)=\(folder)"] + (variable.map { [$0] } ?? []))
        return processes { wanted.isSubset(of: $0) }
    }

    /// Ends all of them at once and waits for it.
    static func end(of folder: String, having variable: String? = nil) async {
        await end(of(folder, having: variable))
    }

    /// Ends those of every stack whose folder is under `parent`.
    static func end(under parent: String) async {
        await end(processes { $0.contains { $0.hasPrefix("\(mark)=\(parent)/") } })
    }

    private static func end(_ processes: [ProcessIdentity]) async {
        let others = processes.filter { $0.id != getpid() }
        for process in others { process.signal(SIGKILL) }
        for process in others {
            _ = await process.waitForEnd(within: .seconds(5))
            process.collect()
        }
    }

    private static func processes(where matches: ([String]) -> Bool) -> [ProcessIdentity] {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
        return numbers.filter { number in
            // Unreadable: the process of another user, which we can't have started.
            guard let environment = FileManager.default.contents(atPath: "/proc/\(number)/environ") else {
                return false
            }
            return matches(environment.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
        }.compactMap(ProcessIdentity.init(of:))
    }
}
