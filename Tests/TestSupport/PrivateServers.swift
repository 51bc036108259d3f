import FoundationEssentials
public import LocalStack
public import Testing

/// A PostgreSQL and a RabbitMQ for one suite, started before its first test and stopped after its last.
public struct PrivateServers: SuiteTrait, TestScoping {
    @TaskLocal public static var current: Servers?

    @concurrent public func provideScope(
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
}

extension Trait where Self == PrivateServers {
    public static var privateServers: PrivateServers { PrivateServers() }
}
