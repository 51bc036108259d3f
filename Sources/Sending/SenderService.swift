public import AMQP
public import Cryptography
public import Daemon
public import Delivery

/// One sender process: a consumer for each route, one publishing connection, one courier.
public struct SenderService: Service {
    public let name: String
    private let routes: [Route]
    private let broker: ConnectionSettings
    private let vault: TokenVault
    private let courier: any Courier
    private let settings: SendingSettings
    private let instance: String
    private let metrics: Metrics
    private let readiness: Readiness

    public init(
        name: String, routes: [Route], broker: ConnectionSettings, vault: TokenVault, courier: any Courier,
        settings: SendingSettings, instance: String, metrics: Metrics, readiness: Readiness
    ) {
        self.name = name
        self.routes = routes
        self.broker = broker
        self.vault = vault
        self.courier = courier
        self.settings = settings
        self.instance = instance
        self.metrics = metrics
        self.readiness = readiness
    }

    public func run() async throws {
        let condition = readiness.condition("broker", waitingFor: "RabbitMQ")
        let publisher = Publisher(broker, name: "\(name)/\(instance)/publish") { event in
            switch event {
            case .connected: condition.ready()
            case .lost(let error, _): condition.notReady("RabbitMQ: \(error)")
            }
        }
        let confirmed = ConfirmedPublisher(publisher, confirmTimeout: settings.confirmTimeout, metrics: metrics)
        let fleet = RouteFleet(courier: courier)
        let shared = RouteSender.Shared(
            settings: settings, courier: courier, vault: vault,
            acceptances: Acceptances(limit: settings.acceptancesKept), publisher: confirmed,
            spread: { route, extent, reason in await fleet.pause(besides: route, extent, reason) })
        let senders = routes.map { sender(of: $0, shared) }
        await fleet.fill(senders)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await publisher.run() }
            group.addTask { await courier.run() }
            try await requireTopology(publisher)
            for sender in senders {
                group.addTask { await sender.consumer.run() }
                group.addTask { await sender.run() }
                if settings.isDryRun { group.addTask { await sender.proveCredential() } }
            }
            await Shutdown.current.wait()
            await drain(senders, confirmed)
            group.cancelAll()
        }
    }

    private func sender(of route: Route, _ shared: RouteSender.Shared) -> RouteSender {
        let condition = readiness.condition("route \(route)", waitingFor: "the queue's consumer")
        let consumer = Consumer(
            broker, queue: route.queue, name: "\(name)/\(instance)/\(route)",
            prefetch: PrefetchPolicy(maximum: UInt16(clamping: settings.concurrency))
        ) { event in
            switch event {
            case .connected: condition.ready()
            case .lost(let error, _): condition.notReady("RabbitMQ: \(error)")
            }
        }
        let desk = OutcomeDesk(
            route: route, instance: instance, publisher: shared.publisher, consumer: consumer, settings: settings)
        return RouteSender(
            route: route, consumer: consumer, desk: desk, shared: shared, numbers: RouteMetrics(metrics, route: route),
            condition: condition)
    }

    /// Waits for the broker; a missing queue or exchange ends the process instead of losing what it would publish.
    private func requireTopology(_ publisher: Publisher) async throws {
        while !Shutdown.current.isRequested, !Task.isCancelled {
            do throws(AMQPError) {
                for exchange in ["results", "dead"] where try await !publisher.exchangeExists(exchange) {
                    throw AMQPError(.missing, "exchange \(exchange)")
                }
                for route in routes where try await publisher.counts(of: route.queue) == nil {
                    throw AMQPError(.missing, "queue \(route.queue)")
                }
                return
            } catch {
                switch error.kind {
                case .missing:
                    throw CommandFailure(
                        .systemFile, "\(error) is missing at the broker: run `mobile-delivery topology apply`")
                case .wrongPassword, .missingVirtualHost, .accessRefused:
                    throw CommandFailure(.noPermission, "RabbitMQ: \(error): check AMQP_URL")
                case .malformedURL, .unreachable, .timedOut, .encryption, .refused, .lost, .stopped: break
                }
                _ = await Shutdown.current.sleep(for: .milliseconds(250))
            }
        }
    }

    /// B4: no new hints, what is open gets its answer, outcomes get their confirms.
    private func drain(_ senders: [RouteSender], _ confirmed: ConfirmedPublisher) async {
        for sender in senders { await sender.stop() }
        let limit = settings.requestTimeout
        let flush = settings.flushTimeout
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for sender in senders { await sender.idle() }
            }
            group.addTask {
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                // What is still open becomes ambiguous.
                await courier.close()
                guard (try? await Task.sleep(for: flush)) != nil else { return }
                confirmed.giveUp()
            }
            await group.next()
            group.cancelAll()
        }
        await courier.close()
    }
}
