public import Daemon
import FoundationEssentials

/// The two executables of one build, and the `topology` folder that they are to use.
public struct Programs: Sendable {
    let folder: String
    let topology: String

    /// Those in the folder of the program that runs now; tests and the laboratory both lie beside them.
    public static func besideThisOne(topology: String) throws(CommandFailure) -> Programs {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folder = own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        let programs = Programs(folder: folder, topology: topology)
        for program in [programs.mobileDelivery, programs.lab]
        where !FileManager.default.isExecutableFile(atPath: program) {
            throw CommandFailure(.systemFile, "no program \(program): run `swift build` first")
        }
        return programs
    }

    public var mobileDelivery: String { "\(folder)/mobile-delivery" }
    public var lab: String { "\(folder)/mobile-delivery-lab" }
    /// What `bench relay` compares with; not needed for a stack.
    public var barePublisher: String { "\(folder)/bare-publisher" }
    /// What all clients of `bench http2` talk to, and the libcurl one of them.
    public var bareHTTP2Server: String { "\(folder)/bare-http2-server" }
    public var bareHTTP2Client: String { "\(folder)/bare-http2-client" }
}
