public import Daemon
import HTTPServer

/// Serves phones and producers over HTTP until the stop is requested: then takes no new connection, answers what is in
/// hand, and closes.
public struct Gateway: Service {
    public let name = "gateway"
    private let configuration: Configuration
    private let front: Front
    private let onListening: @Sendable (Address) -> Void

    init(
        _ configuration: Configuration, front: Front, onListening: @escaping @Sendable (Address) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.front = front
        self.onListening = onListening
    }

    public func run() async throws {
        let front = self.front
        let listener: Listener
        do throws(HTTPServerError) {
            listener = try Listener.start(
                configuration.listen, tls: configuration.tls, limits: configuration.limits
            ) { await front.answer($0) }
        } catch {
            throw CommandFailure(.unavailable, "\(error); set MOBILE_DELIVERY_GATEWAY_LISTEN to a free address")
        }
        let address = listener.address ?? configuration.listen
        Log.info("gateway listening", [.address: .of(address)])
        onListening(address)
        await Shutdown.current.wait()
        // Nobody is kept waiting for a change by a gateway that ends.
        await front.device.room.close()
        await listener.stop(grace: configuration.drain)
    }
}
