import Delivery

/// The routes of one process, so that a fault which they share stops them all.
actor RouteFleet {
    private let courier: any Courier
    private var senders: [RouteSender] = []

    init(courier: any Courier) { self.courier = courier }

    func fill(_ senders: [RouteSender]) { self.senders = senders }

    func pause(besides route: Route, _ extent: PauseExtent, _ reason: String) async {
        for sender in senders where sender.route != route {
            switch extent {
            case .route: continue
            case .credential where courier.credential(of: sender.route) != courier.credential(of: route): continue
            case .credential, .process: await sender.pause(reason, extent)
            }
        }
    }
}
