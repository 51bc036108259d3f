import FoundationEssentials
import LoadTest
import LocalStack
import TestSupport
import Testing

/// One private stack for all load tests of a suite, whose services take up soon what a killed one left.
struct SharedSite: SuiteTrait, TestScoping {
    @TaskLocal static var current: LoadSite?

    private static let settings = [
        "MOBILE_DELIVERY_HINT_LEASE": "6s", "MOBILE_DELIVERY_EVENT_LEASE": "3s",
        "MOBILE_DELIVERY_RELAY_PROOF_MARGIN": "2s", "MOBILE_DELIVERY_SENDER_REQUEST_TIMEOUT": "800ms",
        "MOBILE_DELIVERY_SENDER_CLOCK_TOLERANCE": "300ms", "MOBILE_DELIVERY_RECORDER_LONGEST_PAUSE": "1s",
        "MOBILE_DELIVERY_BACKOFF_BASE": "200ms", "MOBILE_DELIVERY_BACKOFF_CAP": "3s",
        "MOBILE_DELIVERY_FCM_SERVER_FLOOR": "500ms", "MOBILE_DELIVERY_UNPROCESSED_WAIT": "300ms",
    ]

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let programs = try Programs.besideThisOne(topology: "\(Repository.root)/topology")
        let servers = try await Servers.start(under: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
        var plan = LoadPlan()
        plan.settings = Self.settings
        let failure: (any Error)?
        do {
            try await LoadSite.privately(on: servers, programs, plan) { site in
                try await Self.$current.withValue(site) { try await body() }
            }
            failure = nil
        } catch {
            failure = error
        }
        try await servers.stop()
        if let failure { throw failure }
    }
}

extension Trait where Self == SharedSite {
    static var sharedSite: SharedSite { SharedSite() }
}
