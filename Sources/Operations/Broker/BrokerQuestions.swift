public import AMQP

/// Asks for ready and consumer counts, which needs no permission but the login. Keeps its connection between questions
/// and makes it again when it is gone; every question ends within `limit`.
public actor BrokerQuestions {
    private let settings: ConnectionSettings
    private let limit: Duration
    private var connection: Connection?

    public init(_ settings: ConnectionSettings, limit: Duration = .seconds(3)) {
        var patient = settings
        patient.connectTimeout = min(settings.connectTimeout, limit)
        patient.replyTimeout = min(settings.replyTimeout, limit)
        self.settings = patient
        self.limit = limit
    }

    public func ask(_ queues: [String]) async -> BrokerAnswer {
        var answer = BrokerAnswer()
        let end = ContinuousClock.now + limit
        do throws(AMQPError) {
            let connection = try await current()
            for queue in queues {
                guard .now < end else { throw AMQPError(.timedOut, "the broker answers too slowly") }
                answer.queues[queue] = try await connection.counts(of: queue).map { .counts($0) } ?? .missing
            }
        } catch {
            answer.fault = "no answer: \(error)"
            await close()
        }
        return answer
    }

    public func close() async {
        await connection?.close()
        connection = nil
    }

    private func current() async throws(AMQPError) -> Connection {
        if let connection, await connection.isOpen { return connection }
        let opened = try await Connection.open(settings, name: "operator/status")
        connection = opened
        return opened
    }
}
