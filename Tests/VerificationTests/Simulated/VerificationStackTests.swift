import LocalStack
import TestSupport
import Testing

/// Tests that need a whole system: one after the other, on one PostgreSQL and one RabbitMQ, each with a stack of its own.
@Suite(.serialized, .privateServers) struct VerificationStackTests {
    static func withStack<Value: Sendable>(_ body: (Stack) async throws -> Value) async throws -> Value {
        let servers = try #require(PrivateServers.current)
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
