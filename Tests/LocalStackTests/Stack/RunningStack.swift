import FoundationEssentials
import LocalStack
import TestSupport
import Testing

/// A whole system and its phones, for one test.
struct RunningStack {
    let stack: Stack
    let phones: Phones

    /// What a killed process leaves undone is taken up by others after seconds instead of minutes.
    static let shortWaits = [
        "MOBILE_DELIVERY_HINT_LEASE": "6s", "MOBILE_DELIVERY_EVENT_LEASE": "3s",
        "MOBILE_DELIVERY_RELAY_PROOF_MARGIN": "1s", "MOBILE_DELIVERY_SENDER_REQUEST_TIMEOUT": "3s",
        "MOBILE_DELIVERY_SENDER_CLOCK_TOLERANCE": "500ms", "MOBILE_DELIVERY_COORDINATOR_SWEEP_INTERVAL": "1s",
        "MOBILE_DELIVERY_COORDINATOR_UNRUNG_AFTER": "3s", "MOBILE_DELIVERY_COORDINATOR_FANOUT_HOLD": "5s",
        "MOBILE_DELIVERY_COORDINATOR_PUBLISH_TIMEOUT": "4s",
    ]

    /// Runs `body` with one on the suite's private servers; ends every process afterwards.
    static func with(
        copies: Int = 1, settings: [String: String] = [:], on servers: Servers? = PrivateServers.current,
        _ body: (RunningStack) async throws -> Void
    ) async throws {
        let servers = try #require(servers)
        let programs = try Programs.besideThisOne(topology: "\(Repository.root)/topology")
        let name = "stack_\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let stack = try await Stack.start(StackSite(servers, programs, name: name), copies: copies, settings: settings)
        do {
            try await body(RunningStack(stack: stack, phones: try await Phones.start(on: stack)))
        } catch {
            Issue.record("\(error)\n\(await stack.lastWords().joined(separator: "\n"))")
        }
        await stack.stop()
    }

    /// Commits a receipt and a credit note, each with two recipients, and returns their jobs.
    func commitBoth() async throws -> [String] {
        var jobs: [String] = []
        for type in ["RECEIPT", "CREDIT_NOTE"] {
            jobs.append(
                try await stack.commit(
                    type, #"{"number":"1","total":"7.40"}"#, account: phones.account, recipients: ["ledger", "archive"])
            )
        }
        return jobs
    }

    /// Waits until nothing is missing in the evidence of any of `jobs`, and fails with what is.
    func expectEvidence(of jobs: [String], within timeout: Duration = .seconds(40)) async throws {
        var gaps: [String] = []
        let isThere = try await eventually(within: timeout) {
            gaps = []
            for job in jobs {
                gaps += try await Evidence.read(job, of: stack, phones: phones).gaps.map { "\(job): \($0)" }
            }
            return gaps.isEmpty
        }
        if !isThere {
            Issue.record(
                "after \(timeout): \(gaps.joined(separator: "; "))\n\(await stack.lastWords().joined(separator: "\n"))")
        }
    }
}
