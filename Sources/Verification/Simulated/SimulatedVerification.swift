import Daemon
public import LocalStack

/// All eight steps on a private stack with simulated phones.
public struct SimulatedVerification: Sendable {
    private let programs: Programs
    private let temporary: String
    private let seed: UInt64
    private let defect: VerificationDefect?

    /// `temporary` is where the servers' folder goes. The seed decides the jobs' ids; times are the machine's.
    public init(_ programs: Programs, temporary: String, seed: UInt64, defect: VerificationDefect? = nil) {
        self.programs = programs
        self.temporary = temporary
        self.seed = seed
        self.defect = defect
    }

    /// Starts everything, does the steps, stops and removes everything.
    public func run(
        _ interrupts: Interrupts, tell: @escaping @Sendable (String) -> Void
    ) async throws -> VerificationReport {
        let servers = try await Servers.start(under: temporary) { interrupts.guarding($0) }
        do {
            let report = try await run(on: servers, "verification", tell: tell)
            try await servers.stop()
            return report
        } catch {
            try? await servers.stop()
            throw error
        }
    }

    /// The same on servers that are there; `name` tells stacks on them apart.
    public func run(
        on servers: Servers, _ name: String, tell: @escaping @Sendable (String) -> Void
    ) async throws -> VerificationReport {
        let stack = try await Stack.start(StackSite(servers, programs, name: name))
        do {
            let report = try await verify(stack, tell: tell)
            if report.hasFailed { for line in await stack.lastWords() { tell(line) } }
            await stack.stop()
            return report
        } catch {
            await stack.stop()
            throw error
        }
    }

    private func verify(
        _ stack: Stack, tell: @escaping @Sendable (String) -> Void
    ) async throws -> VerificationReport {
        let planted = defect.map { ", with \($0.name) planted" } ?? ""
        return try await SimulatedStage.with(stack, seed: seed, defect: defect) { stage in
            let verification = Verification(
                producer: stage.producer, phone: stage.phones, patience: SimulatedStage.patience, jobs: stage.jobs,
                tell: tell)
            return try await verification.run(title: "Verification with simulated phones, seed \(seed)\(planted)")
        }
    }
}
