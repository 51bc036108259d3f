import AMQP
import AckRecorder
import Daemon
import Postgres

/// Runs an ack recorder beside `body`.
func withRecorder(_ gateways: LossyGateways, _ body: () async throws -> Void) async throws {
    let recorder = Recorder(
        AckRecorder.Configuration(), database: Database(gateways.world.administrator.settings, connections: 2),
        broker: try AMQP.ConnectionSettings(url: gateways.brokerURL), instance: "test", metrics: Metrics(),
        readiness: Readiness())
    let shutdown = Shutdown()
    let running = Task { try await ServiceGroup(recorder.services).run(until: shutdown) }
    let result: Result<Void, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    shutdown.request()
    try await running.value
    try result.get()
}
