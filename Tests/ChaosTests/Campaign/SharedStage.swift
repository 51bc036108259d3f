import Chaos
import FoundationEssentials
import LocalStack
import TestSupport
import Testing

/// One stage for all campaigns of a suite: its start takes longer than most of them.
struct SharedStage: SuiteTrait, TestScoping {
    @TaskLocal static var current: ChaosStage?

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let stage = try await ChaosStage.start(
            under: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp",
            try Programs.besideThisOne(topology: "\(Repository.root)/topology"))
        let failure: (any Error)?
        do {
            try await Self.$current.withValue(stage) { try await body() }
            failure = nil
        } catch {
            failure = error
        }
        try await stage.stop()
        if let failure { throw failure }
    }
}

extension Trait where Self == SharedStage {
    static var sharedStage: SharedStage { SharedStage() }
}
