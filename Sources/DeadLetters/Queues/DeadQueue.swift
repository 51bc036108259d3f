import AMQP

/// A queue that holds what nobody will handle, as `topology/definitions.json` has it.
public enum DeadQueue: String, Sendable, CaseIterable {
    case apns = "hints.apns.dead"
    case fcm = "hints.fcm.dead"
    case coordinator = "coordinator.dead"
    case recorder = "recorder.dead"
    /// Dead letters of dead letters, and what integrators could not take. In no index.
    case parking

    public static let indexed: [DeadQueue] = [.apns, .fcm, .coordinator, .recorder]

    /// The queue that failed a message which lies here, whose name is its key on `replay`; nil if nobody can tell, and for
    /// hints, which go again through the outbox.
    func origin(of delivery: AMQP.Delivery) -> String? {
        let origins = origins
        // The broker names the queue of a death of its own.
        if let died = delivery.headers["x-death"]?.array?.first?.table?["queue"]?.string, origins(died) { return died }
        let key = delivery.headers["md-key"]?.string ?? ""
        switch self {
        case .apns, .fcm: return nil
        case .coordinator: return "coordinator.events"
        case .recorder where origins(key): return key
        case .recorder where key == "ack" || delivery.type == "ack.v1": return "recorder.acks"
        case .recorder where key.hasPrefix("outcome.") || delivery.type == "outcome.v1": return "recorder.outcomes"
        // What was rotated here once lost the broker's word, but has the key that it was sent with.
        case .parking where origins(delivery.routingKey): return delivery.routingKey
        case .recorder, .parking: return nil
        }
    }

    private var origins: (String) -> Bool {
        switch self {
        case .apns, .fcm: { _ in false }
        case .coordinator: { $0 == "coordinator.events" }
        case .recorder: { ["recorder.acks", "recorder.outcomes"].contains($0) }
        case .parking:
            { name in
                name == "dead.index" || name == "downstream.default" || name.hasPrefix("downstream.x.")
                    || Self.indexed.contains { $0.rawValue == name }
            }
        }
    }
}
