import Daemon

/// What the laboratory takes from its environment.
enum LabEnvironment {
    /// Where stacks put their folders.
    static var temporaryFolder: String { ProcessEnvironment.current["TMPDIR"] ?? "/tmp" }
}
