import AMQP
import LocalStack
import Postgres

/// Faults of those who take what relays publish.
extension Strike {
    func stopSenders() async throws -> Felt {
        let kinds: [ServiceKind] = [.apnsSender, .fcmSender]
        for kind in kinds { await stage.stack.stop(kind) }
        // The relays ask every 250 ms who consumes.
        try await hold(.seconds(1))
        let wait = try await wait("no sender runs")
        for kind in kinds { try await stage.startAll(kind) }
        return wait
    }

    func stopRecorder() async throws -> Felt {
        await stage.stack.stop(.ackRecorder)
        // What is published until the outcomes are more than the cap is sent, and its outcomes wait.
        let isFull = try await stage.comesTrue(within: .seconds(20)) {
            try await stage.counts(of: "recorder.outcomes")?.ready ?? 0 > 1
        }
        try await hold(.seconds(1))
        var wait = try await wait("no recorder runs")
        wait.effects["outcomes above the cap"] = isFull ? 1 : 0
        try await stage.startAll(.ackRecorder)
        return wait
    }

    /// While `work` goes on, every sender is frozen: it stays a consumer and answers nothing.
    func withoutSenders(_ work: () async throws -> Void) async throws {
        let kinds: [ServiceKind] = [.apnsSender, .fcmSender]
        for kind in kinds { await stage.stack.freeze(kind) }
        try await cleaningUp {
            for kind in kinds { await stage.stack.thaw(kind) }
        } after: {
            try await work()
        }
    }

    private func wait(_ what: String) async throws -> Felt {
        let from = try await stage.now().microseconds
        try await hold(Fault.quickLease * 10)
        let to = try await stage.now().microseconds
        let due = try await stage.database.query("SELECT count(*) AS n FROM delivery.due WHERE due_at <= now()").one()
        return Felt(
            effects: ["rows that waited": Int(try due["n"] as Int64)],
            holds: [CampaignHistory.Hold(what: what, from: from, to: to)])
    }
}
