import Delivery
import FoundationEssentials

/// Walks through the steps with the phones and a producer. What it judges by is what the server stored because of
/// acknowledgements, and what the phones have in their stores: never an answer 202, and never that a provider accepted a hint.
public struct Verification: Sendable {
    /// How long it waits.
    public struct Patience: Sendable {
        /// For a job to be complete while nothing is in its way.
        public var completion = Duration.seconds(180)
        /// For nothing to happen while the phone cannot.
        public var silence = Duration.seconds(30)
        /// For the provider to say that a token is no more.
        public var deadToken = Duration.seconds(3600)
        public var poll = Duration.seconds(1)

        public init() {}
    }

    let producer: ProducerAPI
    let phone: any PhoneInHand
    let patience: Patience
    let jobs: SeededIdentifiers
    let tell: @Sendable (String) -> Void

    public init(
        producer: ProducerAPI, phone: any PhoneInHand, patience: Patience = Patience(), jobs: SeededIdentifiers,
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.producer = producer
        self.phone = phone
        self.patience = patience
        self.jobs = jobs
        self.tell = tell
    }

    /// Does the steps in their order; after one that failed the others are not done. Throws only if it is cancelled.
    public func run(
        _ steps: [VerificationStep] = VerificationStep.allCases, title: String
    ) async throws -> VerificationReport {
        var report = VerificationReport(title: title)
        for step in steps {
            guard !report.hasFailed else {
                report.add(StepOutcome(step: step))
                continue
            }
            tell("\n\(step.rawValue). \(step.title)")
            let start = ContinuousClock.now
            var run = StepRun(step, tell: tell)
            var problem: String?
            do {
                try await phone.prepare(step)
                try await perform(step, &run)
                let contradictions = try await phone.contradictions(step, jobs: run.canaries)
                if !contradictions.isEmpty { problem = contradictions.joined(separator: "; ") }
            } catch {
                try Task.checkCancellation()
                problem = "\(error)"
            }
            var outcome = StepOutcome(
                step: step, seen: run.lines, problem: problem, time: ContinuousClock.now - start, wasDone: true)
            for canary in run.canaries { outcome.timelines.append(await timeline(canary)) }
            tell(outcome.problem.map { "FAILED: \(step.name): \($0)" } ?? "passed")
            report.add(outcome)
        }
        return report
    }

    private func perform(_ step: VerificationStep, _ run: inout StepRun) async throws {
        switch step {
        case .registration: try await registration(&run)
        case .background: try await background(&run)
        case .targetedFetch: try await targetedFetch(&run)
        case .exactlyOnce: try await exactlyOnce(&run)
        case .permissionOff: try await permissionOff(&run)
        case .offline: try await offline(&run)
        case .forceQuit: try await forceQuit(&run)
        case .tokens: try await tokens(&run)
        }
    }

    private func timeline(_ canary: Canary) async -> JobTimeline {
        var events = await phone.events(of: canary.job)
        if let status = try? await producer.status(of: canary.job) { events += status.events }
        return JobTimeline(job: canary.job, purpose: canary.purpose, events: events.sorted { $0.at < $1.at })
    }
}
