import AMQP
import Daemon
import Delivery
import Glibc
import Operations
import Postgres
import Storage

/// What the operators' commands share: the database as `md_operator`, the broker if it is named, who asks, and where the
/// answer goes.
struct OperatorSetup {
    let database: Database
    /// Nil: `AMQP_URL` is not set.
    let broker: BrokerQuestions?
    /// The same, for who moves messages.
    let brokerServer: AMQP.ConnectionSettings?
    let actor: String
    let countEvery: Duration
    /// A change of more rows than that is asked about, or needs `--yes`.
    let confirmAbove: Int
    let batch: Int

    static func with(_ body: (OperatorSetup) async throws -> Void) async throws {
        Log.setLowestLevel(.warning)
        let reader = EnvironmentReader(ProcessEnvironment.current)
        let server = reader.secret("DATABASE_URL", expected: "postgres://md_operator:password@host:port/database") {
            try Postgres.ConnectionSettings(url: $0)
        }
        let broker = reader.secret("AMQP_URL", required: false, expected: "amqp[s]://user:password@host[:port]/vhost") {
            try AMQP.ConnectionSettings(url: $0)
        }
        let name = reader.optionalString("MOBILE_DELIVERY_OPERATOR")
        let countEvery = reader.duration(
            "MOBILE_DELIVERY_OUTBOX_COUNT_EVERY", default: .seconds(10), in: .zero ... .seconds(3600))
        let brokerTimeout = reader.duration(
            "MOBILE_DELIVERY_OPERATOR_BROKER_TIMEOUT", default: .seconds(3), in: .milliseconds(100) ... .seconds(60))
        let confirmAbove = reader.integer("MOBILE_DELIVERY_CONFIRM_ABOVE", default: 1000)
        let batch = reader.integer("MOBILE_DELIVERY_CHANGE_BATCH", default: 1000, in: 1...100_000)
        try reader.finish()
        guard let server = server?.revealed else { return }
        let database = Database(server, connections: 1)
        let setup = OperatorSetup(
            database: database, broker: broker.map { BrokerQuestions($0.revealed, limit: brokerTimeout) },
            brokerServer: broker?.revealed,
            actor: name ?? Self.account(),
            countEvery: countEvery, confirmAbove: confirmAbove, batch: batch)
        do {
            try await body(setup)
        } catch {
            await setup.close()
            throw failure(error)
        }
        await setup.close()
    }

    /// The line for what the database refuses says which role it wants.
    static func failure(_ error: any Error) -> any Error {
        guard let error = error as? PostgresError else { return error }
        guard error.kind == .missingRight else { return CommandFailure(error) }
        return CommandFailure(.noPermission, "\(error); DATABASE_URL must be that of role md_operator")
    }

    /// Ready and consumer counts of these queues.
    func ask(_ queues: [String]) async -> BrokerAnswer { await broker?.ask(queues) ?? .notAsked }

    private func close() async {
        await broker?.close()
        await database.close()
    }

    /// Who is at the keyboard, as far as the machine knows: `anna@host`, also behind sudo.
    private static func account() -> String {
        let environment = ProcessEnvironment.current
        let user = ["SUDO_USER", "USER", "LOGNAME"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            gethostname(buffer.baseAddress!, buffer.count - 1) == 0 ? String(cString: buffer.baseAddress!) : "host"
        }
        return "\(user ?? "uid \(getuid())")@\(host)"
    }
}
