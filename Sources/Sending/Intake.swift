import AMQP
import Delivery
import Messages

/// What a delivered message is: a hint of this route, or something to be buried.
enum Intake: Equatable {
    case hint(Hint)
    /// `reason` is the dead letter's: `malformed` or `unknown_version`; `detail` is for the log.
    case dead(reason: String, detail: String)

    init(_ message: AMQP.Delivery, route: Route) {
        do throws(MessageError) {
            let hint = try Hint(decoding: message.body)
            if hint.route != route {
                self = .dead(reason: "malformed", detail: "a hint of \(hint.route) in the queue of \(route)")
            } else {
                self = .hint(hint)
            }
        } catch {
            switch error {
            case .malformed(let what): self = .dead(reason: "malformed", detail: what)
            case .unknownVersion(let version):
                self = .dead(reason: "unknown_version", detail: "version \(version)")
            }
        }
    }
}
