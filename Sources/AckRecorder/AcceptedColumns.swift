import Delivery
import Messages
import Postgres
import Storage

/// The arguments of `delivery.record_accepted`, column by column.
struct AcceptedColumns {
    private var routes: [Int16] = []
    private var instances: [String] = []
    private var entries: [Identifier] = []
    private var lives: [Int32] = []
    private var devices: [Identifier] = []
    private var fingerprints: [Fingerprint] = []
    private var registered: [Int64] = []
    private var providerIDs: [String?] = []
    private var remembered: [Bool] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func append(_ outcome: Outcome, of instance: String, on route: Int16) {
        routes.append(route)
        instances.append(instance)
        entries.append(outcome.entry)
        lives.append(Int32(clamping: outcome.life))
        devices.append(outcome.device)
        fingerprints.append(outcome.fingerprint)
        registered.append(outcome.registeredAt)
        providerIDs.append(outcome.providerID)
        remembered.append(outcome.remembered)
    }

    func statement(_ configuration: Configuration) -> Statement {
        """
        SELECT * FROM delivery.record_accepted(
            \(routes), \(instances), \(entries), \(lives), \(devices), \(fingerprints), \(registered), \(providerIDs),
            \(remembered), \(configuration.window))
        """
    }
}
