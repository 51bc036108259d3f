import AMQP
import Daemon

/// Makes a consumer's connection a condition of readiness.
struct ConsumerEvents: Sendable {
    let queue: String
    let condition: Readiness.Condition

    @Sendable func happened(_ event: LinkEvent) {
        switch event {
        case .connected: condition.ready()
        case .lost(let error, _): condition.notReady("\(error)")
        }
    }
}
