import Delivery
import LocalStack
import Postgres

/// What the whole life of a hint costs: commit, claim, publish, confirm, and the outcome recorded.
struct HintLife {
    /// Microseconds a hint.
    struct Cost: Sendable {
        var commit = 0.0
        var relay = 0.0
        var outcome = 0.0
        var total: Double { commit + relay + outcome }
    }

    let site: OutboxSite
    let filler: OutboxFiller
    let settings: [String: String]

    private static let batch = 200

    /// `hints` is a multiple of the devices; nothing else is due. `number` tells the relay's logs apart.
    func measure(_ hints: Int, number: Int) async throws -> Cost {
        var cost = Cost()
        let began = ContinuousClock.now
        try await filler.commit(hints: hints)
        cost.commit = (ContinuousClock.now - began) / .microseconds(1) / Double(hints)
        let outcome = try await RelayRun(site: site, settings: settings).drain(hints, number: number)
        cost.relay = 1_000_000 / outcome.rate
        cost.outcome = try await recordOutcomes() / .microseconds(1) / Double(hints)
        try await site.purge(OutboxSite.route.queue)
        return cost
    }

    /// Every hint that is due is accepted, by the statement of the recorder, in batches of its size.
    func recordOutcomes() async throws -> Duration {
        var took: Duration = .zero
        while true {
            try Task.checkCancellation()
            guard let accepted = try await nextAccepted() else { return took }
            let began = ContinuousClock.now
            let applied: Int32 = try await site.owner.query(
                """
                SELECT applied FROM delivery.record_accepted(
                    \(accepted.routes), array_fill('bench'::text, ARRAY[\(Int32(accepted.count))]), \(accepted.entries)::uuid[],
                    array_fill(1, ARRAY[\(Int32(accepted.count))]), \(accepted.devices)::uuid[], \(accepted.fingerprints),
                    \(accepted.registered), \(accepted.entries), array_fill(false, ARRAY[\(Int32(accepted.count))]),
                    interval '1 minute')
                """, within: .seconds(30)
            ).one()["applied"]
            took += ContinuousClock.now - began
            guard applied == accepted.count else { throw Unusable("\(applied) of \(accepted.count) outcomes applied") }
        }
    }

    private struct Accepted {
        var routes: [Int16] = []
        var entries: [String] = []
        var devices: [String] = []
        var fingerprints: [[UInt8]] = []
        var registered: [Int64] = []
        var count: Int { routes.count }
    }

    private func nextAccepted() async throws -> Accepted? {
        var accepted = Accepted()
        for row in try await site.owner.query(
            """
            SELECT d.route, d.entry::text AS entry, p.device_id::text AS device, t.fingerprint,
                   delivery.milliseconds(t.registered_at) AS registered
              FROM (SELECT id, route, entry, created_at FROM delivery.due ORDER BY id LIMIT \(Self.batch)) d
             CROSS JOIN LATERAL (
                   SELECT device_id FROM delivery.push_outbox
                    WHERE created_at = d.created_at AND id = d.entry LIMIT 1) p
             CROSS JOIN LATERAL (
                   SELECT fingerprint, registered_at FROM delivery.push_token WHERE device_id = p.device_id LIMIT 1) t
             ORDER BY d.id
            """, within: .seconds(30))
        {
            accepted.routes.append(try row["route"])
            accepted.entries.append(try row["entry"])
            accepted.devices.append(try row["device"])
            accepted.fingerprints.append(try row["fingerprint"])
            accepted.registered.append(try row["registered"])
        }
        return accepted.count == 0 ? nil : accepted
    }
}
