import AMQP
import Daemon
import Delivery
import Messages
import Postgres
import Storage
import TestSupport

@testable import AckRecorder

/// A migrated database with one account, its devices with a token each, and jobs whose hints were published: what a
/// recorder finds. Time is moved by changing rows.
struct Scene: Sendable {
    static let apns = Route(provider: .apns, environment: "production", app: "cheqi")
    static let fcm = Route(provider: .fcm, environment: "", app: "cheqi")

    /// As superuser, for what others do.
    let world: Database
    /// As the recorder's role, for what is tested.
    let recorder: Database
    let recorderURL: String
    let account: SampleAccount
    let route: Route
    var configuration = Configuration()

    static func with(
        devices: Int = 1, route: Route = apns, _ body: (Scene) async throws -> Void
    ) async throws {
        try await withScratchDatabase { scratch in
            let world = Database(try scratch.settings, connections: 2)
            let recorder = Database(try scratch.settings(as: "md_recorder"), connections: 2)
            for one in [apns, fcm] {
                try await world.execute(
                    "SELECT delivery.add_route(\(one.provider.rawValue), \(one.environment), \(one.app))")
            }
            let account = try await SampleAccount.make(devices: devices, in: world)
            for device in account.devices { try await account.addToken(to: device, route: route, in: world) }
            try await body(
                Scene(
                    world: world, recorder: recorder, recorderURL: scratch.url(as: "md_recorder"), account: account,
                    route: route))
            await recorder.close()
            await world.close()
        }
    }

    var devices: [Identifier] { account.devices }
    var device: Identifier { account.devices[0] }

    // MARK: What others do

    /// Commits a job and plays the relay: every hint claimed and confirmed once.
    func publishedJob(recipients: [String] = []) async throws -> Identifier {
        let job = try await account.commit(arguments: CommitArguments { $0.recipients = recipients }, in: world)
        try await publish(job)
        return job
    }

    func publish(_ job: Identifier) async throws {
        try await world.execute(
            """
            UPDATE delivery.due SET seq = seq + 1, lease_token = 7, lease_owner = gen_random_uuid(), published_at = now(),
                                    lease_until = now() + interval '2 minutes'
             WHERE entry IN (SELECT entry FROM delivery.job_device WHERE job_id = \(job))
            """)
    }

    /// The device registers another token; returns its registration time.
    func registerAnew(_ device: Identifier) async throws {
        try await world.execute(
            "UPDATE delivery.push_token SET state = 'replaced' WHERE device_id = \(device) AND state <> 'cleared'")
        try await world.execute(
            """
            INSERT INTO delivery.push_token (device_id, provider, app, environment, kind, sealed, sealing_key_id,
                                             fingerprint, fingerprint_key_id, registration)
            VALUES (\(device), \(route.provider.rawValue), \(route.app), \(route.environment), 'token',
                    \([UInt8]("newer".utf8)), 's1', \([UInt8](repeating: 9, count: 32)), 'f1', 2)
            """)
    }

    // MARK: What the recorder does

    /// An outcome of the device's hint as it was published last, with the token it carried then.
    func outcome(
        _ kind: OutcomeKind, _ job: Identifier, device: Identifier? = nil, _ change: (inout Outcome) -> Void = { _ in }
    ) async throws -> Outcome {
        let device = device ?? self.device
        let row = try await world.query(
            """
            SELECT d.entry, coalesce(due.seq, p.seq) AS seq, coalesce(due.life, p.life) AS life,
                   delivery.milliseconds(t.registered_at) AS registered
              FROM delivery.job_device d
              JOIN delivery.push_outbox p ON p.id = d.entry
              LEFT JOIN delivery.due ON due.entry = d.entry
              JOIN delivery.push_token t ON t.device_id = d.device_id AND t.registration = 1
             WHERE d.job_id = \(job) AND d.device_id = \(device)
            """
        ).one()
        var outcome = Outcome(
            entry: try row["entry"], seq: try row["seq"], life: try row["life"], kind: kind, device: device,
            fingerprint: Fingerprint(bytes: device.bytes + device.bytes)!, registeredAt: try row["registered"],
            redelivered: false, at: 0)
        change(&outcome)
        return outcome
    }

    func record(_ outcomes: [Outcome], instance: String = "sender-1") async throws {
        try await outcomeRecording.record([OutcomeBatch(instance: instance, route: route, outcomes: outcomes)])
    }

    func record(_ outcome: Outcome, instance: String = "sender-1") async throws {
        try await record([outcome], instance: instance)
    }

    func record(acks: [DeviceAck]) async throws { try await ackRecording.record(acks) }

    var ackRecording: AckRecording {
        AckRecording(
            database: recorder, deadLetters: Self.nowhere, configuration: configuration,
            counters: AckRecording.Counters(Metrics()))
    }

    var outcomeRecording: OutcomeRecording {
        OutcomeRecording(
            database: recorder, routes: RouteNumbers(recorder), deadLetters: Self.nowhere,
            configuration: configuration, counters: OutcomeCounters(Metrics()))
    }

    var judge: TokenJudge { TokenJudge(database: recorder, configuration: configuration, metrics: Metrics()) }

    /// Never connected: these tests record and bury nothing.
    private static let nowhere = DeadLetterPublisher(
        publisher: Publisher(try! AMQP.ConnectionSettings(url: "amqp://nobody:none@127.0.0.1:1/x"), name: "none"),
        deadline: .seconds(1))

    // MARK: What is seen

    func entry(_ job: Identifier, device: Identifier? = nil) async throws -> Entry {
        try Entry(
            await world.query(
                """
                SELECT p.state, p.reason, p.provider_id, coalesce(due.seq, p.seq) AS seq,
                       coalesce(due.life, p.life) AS life, coalesce(due.failures, p.failures) AS failures,
                       coalesce(due.disputes, p.disputes) AS disputes, due.id IS NOT NULL AS has_due,
                       due.lease_token IS NOT NULL AS has_lease, due.due_at - now() AS wait, due.last_error
                  FROM delivery.job_device d
                  JOIN delivery.push_outbox p ON p.created_at = d.entry_created_at AND p.id = d.entry
                  LEFT JOIN delivery.due ON due.entry = d.entry
                 WHERE d.job_id = \(job) AND d.device_id = \(device ?? self.device)
                """
            ).one())
    }

    func token(_ device: Identifier? = nil, registration: Int = 1) async throws -> (state: String, reason: String?) {
        let row = try await world.query(
            """
            SELECT state, state_reason FROM delivery.push_token
             WHERE device_id = \(device ?? self.device) AND registration = \(registration)
            """
        ).one()
        return (try row["state"], try row["state_reason"])
    }

    func deviceState(_ job: Identifier, _ device: Identifier? = nil) async throws -> String {
        try await world.query(
            "SELECT state FROM delivery.job_device WHERE job_id = \(job) AND device_id = \(device ?? self.device)"
        ).one().only()
    }

    /// Announced messages of that type, oldest first.
    func events(_ type: String) async throws -> [Event] {
        try await world.query(
            """
            SELECT e.exchange, e.routing_key, e.message_id, e.headers::text AS headers, e.body
              FROM delivery.event_outbox e JOIN delivery.due d ON d.entry = e.id AND d.route = 0
             WHERE e.type = \(type) ORDER BY d.id
            """
        ).map { try Event($0) }
    }
}

/// A hint as `push_outbox` and `due` have it together.
struct Entry: Equatable {
    var state: String
    var reason: String?
    var providerID: String?
    var seq: Int
    var life: Int
    var failures: Int
    var disputes: Int
    var hasDue: Bool
    var hasLease: Bool
    var wait: Duration?
    var lastError: String?

    init(_ row: Row) throws(PostgresError) {
        state = try row["state"]
        reason = try row["reason"]
        providerID = try row["provider_id"]
        seq = try row["seq"]
        life = try row["life"]
        failures = try row["failures"]
        disputes = try row["disputes"]
        hasDue = try row["has_due"]
        hasLease = try row["has_lease"]
        wait = try row["wait"]
        lastError = try row["last_error"]
    }

    var isDueAtOnce: Bool { hasDue && !hasLease && wait.map { $0 <= .zero } ?? false }
}

struct Event {
    var exchange: String
    var routingKey: String
    var messageID: Identifier
    var headers: String
    var body: [UInt8]

    init(_ row: Row) throws(PostgresError) {
        exchange = try row["exchange"]
        routingKey = try row["routing_key"]
        messageID = try row["message_id"]
        headers = try row["headers"]
        body = try row["body"]
    }
}
