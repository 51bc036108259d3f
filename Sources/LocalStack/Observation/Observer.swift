import Postgres

/// Watches one stack from outside: the broker's messages, the phones' logs, the database.
public actor Observer {
    private struct Once: Hashable {
        let step: TimelineEvent.Step
        let job: String
        let device: String?
    }

    private let tap: Tap
    private let connection: Connection
    private var seenMessages = 0
    private var broker = BrokerEvents()
    private var phones: [LogReader] = []
    private var known: Set<Once> = []

    public init(_ stack: Stack) async throws {
        tap = stack.tap
        connection = try await Connection.open(ConnectionSettings(url: stack.site.databaseURL))
    }

    /// Reads that phones' log from now on, from its beginning.
    public func watch(_ phones: Phones) { self.phones.append(LogReader(path: phones.logPath)) }

    /// What happened since the last call, in its order; each step of a job and device once, however often it was repeated.
    public func news() async throws -> [TimelineEvent] {
        let sightings = tap.sightings[seenMessages...]
        seenMessages += sightings.count
        var events = sightings.flatMap { broker.events(in: $0) }
        for index in phones.indices {
            events += phones[index].newLines().compactMap { JSONLine($0) }.compactMap(PhoneEvents.event)
        }
        events += try await DatabaseEvents.read(connection)
        return events.sorted { $0.at < $1.at }.filter {
            known.insert(Once(step: $0.step, job: $0.job, device: $0.device)).inserted
        }
    }

    public func close() async { await connection.close() }
}
