import AMQP
import Daemon

/// Keeps the connection for dead letters, after a look whether the broker has what a recorder needs: a queue that is
/// missing or a password that is wrong ends the process with one line, a broker that does not answer is waited for.
struct BrokerPublishing: Service {
    let publisher: Publisher
    let broker: AMQP.ConnectionSettings
    let queues: [String]
    let condition: Readiness.Condition

    var name: String { "broker" }

    func run() async throws {
        guard try await look() else { return }
        condition.ready()
        await withTaskGroup { group in
            group.addTask { await publisher.run() }
            await Shutdown.current.wait()
            group.cancelAll()
        }
    }

    /// False if it was asked to stop meanwhile.
    private func look() async throws(CommandFailure) -> Bool {
        while true {
            do throws(AMQPError) {
                let connection = try await Connection.open(broker, name: "ack-recorder/check")
                let missing = try await firstMissing(on: connection)
                await connection.close()
                guard let missing else { return true }
                throw AMQPError(
                    .missing, "\(missing) is missing at the broker; run `mobile-delivery topology apply` first")
            } catch {
                if let failure = Self.failure(error) { throw failure }
                condition.notReady("\(error)")
                guard await Shutdown.current.sleep(for: .seconds(1)) else { return false }
            }
        }
    }

    private func firstMissing(on connection: Connection) async throws(AMQPError) -> String? {
        for queue in queues where try await connection.counts(of: queue) == nil { return "queue \(queue)" }
        return try await connection.exchangeExists("dead") ? nil : "exchange dead"
    }

    /// What waiting does not mend.
    static func failure(_ error: AMQPError) -> CommandFailure? {
        switch error.kind {
        case .malformedURL: CommandFailure(.configuration, "AMQP_URL: \(error)")
        case .wrongPassword, .accessRefused: CommandFailure(.noPermission, "AMQP_URL: \(error)")
        case .missing, .missingVirtualHost: CommandFailure(.systemFile, "AMQP_URL: \(error)")
        case .encryption: CommandFailure(.protocolError, "AMQP_URL: \(error)")
        case .unreachable, .timedOut, .refused, .lost, .stopped: nil
        }
    }
}
