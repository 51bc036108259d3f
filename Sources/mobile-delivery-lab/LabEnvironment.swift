import FoundationEssentials

/// What the laboratory takes from its environment.
enum LabEnvironment {
    /// Where stacks put their folders.
    static var temporaryFolder: String { ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp" }
}
