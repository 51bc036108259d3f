import LocalStack
import Messages
import TestSupport
import Testing

/// Every reason that ends a hint in a dead-letter queue, in the whole system: listed once, shown, replayed after its cause
/// is mended, delivered.
@Suite(.privateServers, .serialized, .timeLimit(.minutes(5))) struct DeadLetterStackTests {
    /// An answer of APNs that kills a hint.
    struct Death: Sendable, CustomTestStringConvertible {
        let reason: String
        let answer: String
        /// In `dead show`.
        let words: String
        var testDescription: String { reason }
    }

    static let deaths = [
        Death(
            reason: "faulty_request", answer: #"{"status":400,"reason":"PayloadEmpty"}"#,
            words: "our request is wrong, which no repetition mends (faulty_request)"),
        Death(
            reason: "exhausted", answer: #"{"status":503,"reason":"ServiceUnavailable"}"#,
            words: "failed it until its budget of failures was spent (exhausted)"),
        Death(
            reason: "token_disputed", answer: #"{"status":410,"reason":"Unregistered","timestamp":1000}"#,
            words: "does the cause still hold: perhaps: its token is still the one of then"),
        Death(
            reason: "token", answer: #"{"status":410,"reason":"Unregistered","timestamp":4000000000000}"#,
            words: "does the cause still hold: yes: the device has no active token"),
    ]

    @Test func `a hint that a provider kills is listed once, shown, replayed and delivered`() async throws {
        try await RunningStack.with(settings: RunningStack.shortBudgets) { running in
            for death in Self.deaths {
                try await running.stack.control.follow(
                    script: #"{"rules":[{"match":{"provider":"apns"},"do":{"answer":\#(death.answer)}}]}"#)
                let job = try await running.commitOne()
                let id = try await running.only(["--job", job, "--reason", death.reason], says: death.words)
                #expect(
                    try await running.count(
                        "delivery.push_outbox WHERE job_id = '\(job)' AND \(RunningStack.appleFailed)")
                        == 1)
                let asked = try await running.requests(for: job)
                try await running.stack.control.follow(script: #"{"rules":[]}"#)
                if death.reason == "token" {
                    let skipped = try await running.deadJSON(["replay", "--id", id])
                    #expect(skipped["skipped"]?["no_token"]?.integer == 1)
                    // Its app runs again and registers.
                    try await running.execute(
                        "UPDATE delivery.push_token SET state = 'active', registered_at = now() WHERE state = 'cleared'"
                    )
                    let shown = try await running.dead(["show", id]).output
                    #expect(shown.contains("no: the device registered a new token"))
                }
                // It was over for it: nothing was published again while it lay there.
                #expect(try await running.requests(for: job) == asked)
                let replay = try await running.deadJSON(["replay", "--id", id, "--why", "mended"])
                #expect(replay["replayed"]?.integer == 1, "\(death.reason): \(replay)")
                try await running.expectEvidence(of: [job])
                #expect(try await running.deadJSON(["list", "--job", job])["letters"]?.array?.isEmpty == true)
                let again = try await running.dead(["replay", "--id", id])
                #expect(again.termination == .exited(65), "\(again.output)")
            }
        }
    }

    @Test func `a device that acknowledged by sync, and a job that expired, are skipped with that reason`() async throws
    {
        try await RunningStack.with(settings: RunningStack.shortBudgets) { running in
            try await running.stack.control.follow(
                script:
                    #"{"rules":[{"match":{"provider":"apns"},"do":{"answer":{"status":503,"reason":"ServiceUnavailable"}}}]}"#
            )
            let synced = try await running.commitOne()
            let id = try await running.only(["--job", synced], says: "exhausted")
            try await running.execute(
                "UPDATE delivery.dead_letter SET recorded_at = recorded_at - interval '7 days' WHERE dead_letter_id = \(id)"
            )
            try await running.phones.foregroundSync()
            try await running.expectEvidence(of: [synced])
            let skipped = try await running.deadJSON(["replay", "--id", id])
            #expect(skipped["skipped"]?["acknowledged"]?.integer == 1 && skipped["replayed"]?.integer == 0)
            let shown = try await running.dead(["show", id]).output
            #expect(shown.contains("acknowledged") && shown.contains("found by foreground"), "\(shown)")

            let late = try await running.commitOne()
            let other = try await running.only(["--job", late], says: "exhausted")
            try await running.execute(
                "UPDATE delivery.generation_job SET expires_at = now() - interval '1 second' WHERE job_id = '\(late)'")
            let refused = try await running.deadJSON(["replay", "--id", other])
            #expect(refused["skipped"]?["expired"]?.integer == 1 && refused["replayed"]?.integer == 0)
            let history = try await running.dead(["history"]).output
            #expect(history.contains("skipped: 1 expired") && history.contains("skipped: 1 acknowledged"))
        }
    }
}
