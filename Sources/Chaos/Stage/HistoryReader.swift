import Delivery
import LocalStack
import Messages
import Postgres
import Storage

/// Puts together what is known of everything that was committed since it was made.
struct HistoryReader: Sendable {
    private let stage: ChaosStage
    /// By the database's clock.
    let since: Timestamp
    let requests: ProviderRequests
    private let sightingsStart: Int

    static func begin(on stage: ChaosStage) async throws -> HistoryReader {
        try await stage.audit.forget()
        return HistoryReader(
            stage: stage, since: try await stage.now(),
            requests: ProviderRequests(stage.stack.control, after: try await stage.countRequests()),
            sightingsStart: stage.stack.tap.sightings.count)
    }

    /// How many rows still lack their end.
    func open() async throws -> Int {
        Int(try await stage.database.query("SELECT count(*) AS n FROM delivery.due").one().get("n", as: Int64.self))
    }

    func read(devices: [String: Identifier]) async throws -> CampaignHistory {
        var history = CampaignHistory()
        let (entries, ids) = try await entries()
        var byID = Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0) })
        try await requests.collect()
        for request in await requests.all {
            guard let id = entry(of: request, devices, ids) else { continue }
            switch request.status {
            case 200: byID[id]?.acceptances += 1
            // Unregistered at APNs, UNREGISTERED at FCM.
            case 410, 404: byID[id]?.refusals += 1
            default: break
            }
        }
        var seen: Set<String> = []
        let sightings = stage.stack.tap.sightings.dropFirst(sightingsStart)
        for sighting in sightings where sighting.exchange == "results" && seen.insert(sighting.messageID).inserted {
            for outcome in try OutcomeBatch(decoding: sighting.body).outcomes {
                byID[outcome.entry]?.ambiguous += outcome.kind == .ambiguous ? 1 : 0
                byID[outcome.entry]?.redelivered += outcome.redelivered ? 1 : 0
                byID[outcome.entry]?.charged += [.ambiguous, .deferred].contains(outcome.kind) ? 1 : 0
            }
        }
        history.entries = entries.compactMap { byID[$0.id] }
        history.claims = try await stage.audit.claims()
        history.leaseFaults = try await stage.audit.faults()
        history.deadLetters = try await deadLetters()
        history.leftovers = try await leftovers()
        history.cleared = try await cleared(devices)
        let events = try await events()
        let buried = Set(history.deadLetters.filter(\.isEvent).map(\.entry))
        let arrived = Set(sightings.lazy.filter { $0.exchange == "events" }.map(\.messageID))
        history.events = events.count
        history.unseenEvents = events.filter { !arrived.contains($0.description) && !buried.contains($0) }
        return history
    }

    /// One (job, device).
    private struct Target: Hashable {
        let job: String
        let device: Identifier
    }

    private func entries() async throws -> (entries: [CampaignHistory.Entry], ids: [Target: Identifier]) {
        var entries: [CampaignHistory.Entry] = []
        var ids: [Target: Identifier] = [:]
        for row in try await stage.database.query(
            """
            SELECT id, job_id, device_id, state, coalesce(reason, '') AS reason, failures, silences, created_at, finished_at
              FROM delivery.push_outbox WHERE created_at >= \(since) ORDER BY created_at, id
            """)
        {
            let device: Identifier = try row["device_id"]
            var entry = CampaignHistory.Entry(
                id: try row["id"], device: device, state: try row["state"], reason: try row["reason"])
            entry.failures = Int(try row["failures"] as Int32)
            entry.silences = Int(try row["silences"] as Int32)
            entry.createdAt = (try row["created_at"] as Timestamp).microseconds
            entry.finishedAt = (try row["finished_at"] as Timestamp?)?.microseconds
            entries.append(entry)
            let job: Identifier = try row["job_id"]
            ids[Target(job: job.description, device: device)] = entry.id
        }
        return (entries, ids)
    }

    private func entry(
        of request: ProviderRequests.Request, _ devices: [String: Identifier], _ ids: [Target: Identifier]
    ) -> Identifier? {
        switch request.subject {
        case .entry(let id): id
        case .message(let job, let token): devices[token].flatMap { ids[Target(job: job, device: $0)] }
        }
    }

    private func leftovers() async throws -> [(entry: Identifier, detail: String)] {
        var found: [(entry: Identifier, detail: String)] = []
        for row in try await stage.database.query(
            """
            SELECT entry, format('route %s, seq %s, crashes %s, silences %s, lease until %s, published %s, due %s%s', route,
                                 seq, crashes, silences, coalesce(lease_until::text, '-'),
                                 coalesce(published_at::text, '-'), due_at, ', ' || last_error) AS detail
              FROM delivery.due ORDER BY id
            """)
        {
            found.append((try row["entry"], try row["detail"]))
        }
        return found
    }

    private func cleared(_ devices: [String: Identifier]) async throws -> Set<Identifier> {
        var cleared: Set<Identifier> = []
        for row in try await stage.database.query(
            "SELECT device_id FROM delivery.push_token WHERE state = 'cleared' AND device_id = ANY (\(Array(devices.values)))"
        ) {
            cleared.insert(try row["device_id"])
        }
        return cleared
    }

    private func deadLetters() async throws -> [CampaignHistory.DeadLetter] {
        var letters: [CampaignHistory.DeadLetter] = []
        for row in try await stage.database.query(
            """
            SELECT coalesce(entry::text, message_id) AS entry, reason, type NOT LIKE 'hint.%' AS is_event
              FROM delivery.dead_letter WHERE recorded_at >= \(since)
            """)
        {
            guard let entry = Identifier(try row["entry"] as String) else { continue }
            letters.append(
                CampaignHistory.DeadLetter(entry: entry, isEvent: try row["is_event"], reason: try row["reason"]))
        }
        return letters
    }

    private func events() async throws -> [Identifier] {
        var events: [Identifier] = []
        for row in try await stage.database.query(
            "SELECT id FROM delivery.event_outbox WHERE created_at >= \(since) AND exchange = 'events'")
        {
            events.append(try row["id"])
        }
        return events
    }
}
