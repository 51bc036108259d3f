import Delivery
import Postgres

/// What the database says of every hint when a test is over.
struct HintReader {
    let database: Database
    /// The database's clock when the test began.
    let since: Timestamp
    let epoch: Int64

    private static let page = 20_000

    /// Fills in the instants that only the database knows, and returns the fate of every committed hint.
    func read(into table: inout HintTable, _ explanations: [Identifier: Ledger.Explanation]) async throws
        -> Conservation
    {
        let dead = try await deadDevices()
        var fates: [HintFate?] = Array(repeating: nil, count: table.hints.count)
        var conservation = Conservation()
        var last: (at: Timestamp, id: Identifier) = (since, Identifier(high: 0, low: 0))
        while true {
            let rows = try await page(after: last)
            guard let end = rows.last else { break }
            for row in rows {
                let job: Identifier = try row["job_id"]
                let device: Identifier = try row["device_id"]
                guard let place = table.place(job, device: device) else {
                    conservation.add(Finding(.unexplained, "a hint of job \(job), which this test did not commit"))
                    continue
                }
                if fates[place] != nil {
                    conservation.add(Finding(.unexplained, "job \(job) has two hints for device \(device)"))
                    continue
                }
                var fate = try fate(row, job, device, dead)
                fate.acceptances = Int(table.hints[place].acceptances)
                fate.refusals = Int(table.hints[place].refusals)
                if let entry = fate.entry, let explanation = explanations[entry] {
                    fate.ambiguous = explanation.ambiguous
                    fate.redelivered = explanation.redelivered
                }
                fates[place] = fate
                table.hints[place].recorded = try instant(row, "finished_at")
                if fate.isDeviceDone { table.hints[place].acknowledged = try instant(row, "done_at") }
                if let index = table.job(job) { table.completed[index] = try instant(row, "completed_at") }
            }
            last = (try end["created_at"], try end["id"])
        }
        for (index, arrival) in table.arrivals.enumerated() where table.committed[index] > 0 {
            for (place, device) in zip(table.places(of: index), table.accounts[arrival.account].devices) {
                conservation.add(fates[place] ?? HintFate(job: arrival.job, device: device.id))
            }
        }
        return conservation
    }

    private func page(after last: (at: Timestamp, id: Identifier)) async throws -> Rows {
        try await database.query(
            """
            SELECT o.created_at, o.id, o.job_id, o.device_id, o.state, coalesce(o.reason, '') AS reason, o.failures,
                   o.silences, o.finished_at, d.entry IS NOT NULL AS is_due, coalesce(d.due_at > now(), false) AS is_later,
                   coalesce(d.lease_until > now(), false) AS is_leased, d.silences AS due_silences,
                   v.state AS device_state, v.finished_at AS done_at, j.completed_at,
                   coalesce(o.finished_at >= j.expires_at, false) AS is_late
              FROM (SELECT * FROM delivery.push_outbox
                     WHERE (created_at, id) > (\(last.at), \(last.id)) ORDER BY created_at, id LIMIT \(Int32(Self.page))) o
              LEFT JOIN delivery.due d ON d.entry = o.id
              LEFT JOIN delivery.job_device v ON v.job_id = o.job_id AND v.device_id = o.device_id
              LEFT JOIN delivery.generation_job j ON j.job_id = o.job_id
             ORDER BY o.created_at, o.id
            """, within: .seconds(120))
    }

    private func fate(
        _ row: Row, _ job: Identifier, _ device: Identifier, _ dead: Set<Identifier>
    ) throws -> HintFate {
        var fate = HintFate(job: job, device: device, entry: try row["id"])
        fate.state = try row["state"]
        fate.reason = try row["reason"]
        fate.failures = Int(try row["failures"] as Int32)
        fate.silences = Int(try row["due_silences"] as Int32? ?? row["silences"])
        if try row["is_due"] {
            let isLeased: Bool = try row["is_leased"]
            fate.standing = isLeased ? .inFlight : try row["is_later"] ? .deferred : .due
        }
        let state: String? = try row["device_state"]
        fate.isDeviceDone = state == "acknowledged" || state == "failed"
        fate.hasDeadToken = dead.contains(device)
        fate.isLate = try row["is_late"]
        return fate
    }

    private func instant(_ row: Row, _ column: String) throws -> Int64 {
        guard let at: Timestamp = try row[column] else { return 0 }
        return max(1, at.microseconds - epoch)
    }

    /// Devices whose token a provider called dead.
    private func deadDevices() async throws -> Set<Identifier> {
        var devices: Set<Identifier> = []
        for row in try await database.query(
            "SELECT DISTINCT device_id FROM delivery.push_token WHERE state = 'cleared' AND state_at >= \(since)")
        {
            devices.insert(try row["device_id"])
        }
        return devices
    }

    /// Ids of the events since the beginning that reached none of the outsider's readers.
    func events() async throws -> [Identifier] {
        var events: [Identifier] = []
        for row in try await database.query(
            "SELECT message_id FROM delivery.event_outbox WHERE created_at >= \(since) AND exchange = 'events'",
            within: .seconds(60))
        {
            events.append(try row["message_id"])
        }
        return events
    }
}
