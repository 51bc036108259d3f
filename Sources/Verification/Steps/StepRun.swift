/// What one step did and saw, as it goes on.
struct StepRun: Sendable {
    let step: VerificationStep
    private(set) var lines: [String] = []
    var canaries: [Canary] = []
    let tell: @Sendable (String) -> Void

    init(_ step: VerificationStep, tell: @escaping @Sendable (String) -> Void) {
        self.step = step
        self.tell = tell
    }

    mutating func saw(_ line: String) {
        lines.append(line)
        tell(line)
    }
}

/// Why a step failed, in words.
struct StepFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
