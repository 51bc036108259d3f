public import Daemon
public import HTTP2

extension HTTP2.Client {
    /// The pool of one credential, with its numbers under the name `pool`, going the way that the environment names.
    public static func pool(
        _ pool: String, to origin: Origin, _ settings: ClientSettings, through proxy: ProviderProxy, thread: String,
        metrics: Metrics
    ) throws(CommandFailure) -> HTTP2.Client {
        let numbers = PoolMetrics(metrics, pool: pool)
        var settings = settings
        settings.proxy = proxy.proxy(for: origin)
        do throws(HTTP2Error) {
            let client = try HTTP2.Client(
                origin: origin, settings: settings, name: thread, observe: numbers.observer)
            numbers.show(client)
            return client
        } catch {
            throw CommandFailure(.configuration, "\(error): check MOBILE_DELIVERY_PROVIDER_CA_FILE")
        }
    }
}
