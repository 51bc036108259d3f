import FoundationEssentials
import LocalStack
import TestSupport
import Testing

/// Tests that need a whole system: one after the other, on one PostgreSQL and one RabbitMQ, each with a stack of its own.
@Suite(.serialized, .verificationServers) struct VerificationStackTests {}

/// The servers of `VerificationStackTests`, started before its first test and stopped after its last.
struct VerificationServers: SuiteTrait, TestScoping {
    @TaskLocal static var current: Servers?

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let servers = try await Servers.start(under: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
        let failure: (any Error)?
        do {
            try await Self.$current.withValue(servers) { try await body() }
            failure = nil
        } catch {
            failure = error
        }
        try await servers.stop()
        if let failure { throw failure }
    }

    static func withStack<Value: Sendable>(_ body: (Stack) async throws -> Value) async throws -> Value {
        let servers = try #require(current)
        let programs = try Programs.besideThisOne(topology: "\(Repository.root)/topology")
        let name = "verify_\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let stack = try await Stack.start(StackSite(servers, programs, name: name))
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(stack))
        } catch {
            result = .failure(error)
        }
        await stack.stop()
        return try result.get()
    }
}

extension Trait where Self == VerificationServers {
    static var verificationServers: VerificationServers { VerificationServers() }
}
