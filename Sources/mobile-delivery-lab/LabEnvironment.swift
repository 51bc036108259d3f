import Daemon
import FoundationEssentials

/// What the laboratory takes from its environment.
enum LabEnvironment {
    /// Where stacks put their folders.
    static var temporaryFolder: String { ProcessEnvironment.current["TMPDIR"] ?? "/tmp" }

    /// The folder `topology` of the repository, as an absolute path because services run elsewhere.
    static var topologyFolder: String {
        let given = ProcessEnvironment.current["MOBILE_DELIVERY_TOPOLOGY_DIRECTORY"] ?? "topology"
        return given.hasPrefix("/") ? given : "\(FileManager.default.currentDirectoryPath)/\(given)"
    }
}
