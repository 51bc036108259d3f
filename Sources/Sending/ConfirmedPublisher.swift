import AMQP
import Daemon
import Synchronization

/// Publishes what must not be lost: again and again until the broker confirms it, or the process gives up at its end.
final class ConfirmedPublisher: Sendable {
    private struct State {
        var givesUp = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let publisher: Publisher
    private let confirmTimeout: Duration
    private let state = Mutex(State())
    private let repeated: Counter

    init(_ publisher: Publisher, confirmTimeout: Duration, metrics: Metrics) {
        self.publisher = publisher
        self.confirmTimeout = confirmTimeout
        repeated = metrics.counter(
            "mobile_delivery_sender_republished_total", help: "Outcomes and dead letters that were published again.")
    }

    /// True once confirmed. False only after `giveUp()`: what it was about is delivered again by the broker.
    func publish(_ message: Message) async -> Bool {
        await withCheckedContinuation { continuation in
            let number = state.withLock { state -> Int? in
                guard !state.givesUp else { return nil }
                state.next += 1
                state.waiting[state.next] = continuation
                return state.next
            }
            guard let number else { return continuation.resume(returning: false) }
            Task {
                let isSafe = await untilConfirmed(message)
                state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: isSafe)
            }
        }
    }

    /// Ends at once what still waits.
    func giveUp() {
        let waiting = state.withLock { state in
            state.givesUp = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: false) }
    }

    private func untilConfirmed(_ message: Message) async -> Bool {
        var pause = Duration.milliseconds(50)
        while true {
            let result = await publisher.publish(message, deadline: .now + confirmTimeout)
            if result == .confirmed { return true }
            if state.withLock({ $0.givesUp }) { return false }
            repeated.add()
            switch result {
            case .confirmed: break
            case .nacked: Log.warning("the broker refused an outcome", [.key: .string(message.routingKey)])
            case .returned(_, let text):
                Log.error(
                    "no queue takes outcomes: apply the topology",
                    [.key: .string(message.routingKey), .cause: .string(text)])
            case .unknown(let reason), .notWritten(let reason):
                Log.info("not confirmed yet", [.key: .string(message.routingKey), .cause: .string(reason)])
            }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(5))
        }
    }
}

extension LogKey {
    static let key: LogKey = "routing.key"
    static let route: LogKey = "route"
    static let reason: LogKey = "reason"
    static let fingerprint: LogKey = "fingerprint"
    static let extent: LogKey = "extent"
    static let remedy: LogKey = "remedy"
}
