import Delivery

/// What the relay remembers of one route. Route 0 is that of the events: it has neither queue nor pause.
struct RouteLane: Sendable {
    let row: OutboxStore.RouteRow?
    var isPausedByHand: Bool
    var flow: RelayQueueFlow
    var sight = RelayRepublishProof.Sight()
    var floors: RelayFloors
    var isClaiming = false
    /// The last claim found nothing.
    var isQuiet = false

    init(_ row: OutboxStore.RouteRow?, _ configuration: Configuration) {
        self.row = row
        isPausedByHand = row?.isPausedByHand ?? false
        flow = RelayQueueFlow(limits: configuration.flow)
        floors = RelayFloors(
            slack: configuration.floorSlack.components.seconds * 1_000_000
                + configuration.floorSlack.components.attoseconds / 1_000_000_000_000,
            sweepEvery: configuration.sweepEvery)
    }

    var name: String { row?.route.description ?? "events" }
}
