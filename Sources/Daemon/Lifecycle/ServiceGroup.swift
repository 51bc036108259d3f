/// Runs services: starts them in order, stops them in reverse, each before the one that it may lean on.
public struct ServiceGroup: Sendable {
    private let services: [any Service]
    /// From the request to stop until what still runs is cancelled.
    private let stopWithin: Duration

    public init(_ services: [any Service], stopWithin: Duration = .seconds(20)) {
        self.services = services
        self.stopWithin = stopWithin
    }

    private enum Event: Sendable {
        case ended(Int, (any Error)?)
        case stopRequested
        case timeIsUp
    }

    /// Returns when all have ended; throws the first error. One that ends by itself stops the others.
    public func run(until shutdown: Shutdown) async throws {
        guard !services.isEmpty else { return }
        let signals = services.map { _ in Shutdown() }
        let failure = await withTaskGroup(of: Event.self, returning: (any Error)?.self) { group in
            for (index, service) in services.enumerated() {
                let signal = signals[index]
                group.addTask(name: service.name) { await Self.event(of: service, index, signal) }
            }
            group.addTask {
                await shutdown.wait()
                return .stopRequested
            }
            var running = Set(services.indices)
            var stopping = false
            var failure: (any Error)?
            while !running.isEmpty, let event = await group.next() {
                switch event {
                case .ended(let index, let error):
                    running.remove(index)
                    failure = failure ?? error
                    Log.info("service ended", [.service: .string(services[index].name)])
                case .stopRequested: break
                case .timeIsUp:
                    Log.error("stop takes too long", [.service: .string(names(running))])
                    group.cancelAll()
                    continue
                }
                if !stopping {
                    stopping = true
                    let limit = stopWithin
                    group.addTask {
                        // A cancelled sleep is the end of the group.
                        try? await Task.sleep(for: limit)
                        return .timeIsUp
                    }
                }
                // The last one that still runs is asked next; the others wait for it.
                if let last = running.max() { signals[last].request() }
            }
            group.cancelAll()
            return failure
        }
        if let failure { throw failure }
    }

    private func names(_ indices: Set<Int>) -> String {
        indices.sorted().map { services[$0].name }.joined(separator: ", ")
    }

    private static func event(of service: any Service, _ index: Int, _ signal: Shutdown) async -> Event {
        do {
            try await Shutdown.$current.withValue(signal) {
                try await Log.with([.service: .string(service.name)]) { try await service.run() }
            }
            return .ended(index, nil)
        } catch {
            Log.error("service failed", [.service: .string(service.name), .cause: .string("\(error)")])
            return .ended(index, error)
        }
    }
}
