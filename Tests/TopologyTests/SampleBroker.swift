import Delivery
import Topology

/// The files of the repository with two routes, as tests need them.
enum SampleBroker {
    static let directory: String = {
        let here = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return here.dropLast(3).joined(separator: "/") + "/topology"
    }()

    static let routes = [
        Route(provider: .apns, environment: "sandbox", app: "cheqi"),
        Route(provider: .fcm, environment: "", app: "cheqi"),
    ]

    static func desired(
        virtualHost: String = "mobile-delivery", outsiders: Outsiders = Outsiders()
    ) throws -> DesiredBroker {
        let files = TopologyFiles(directory: directory)
        return DesiredBroker(
            virtualHost: virtualHost, definitions: try files.definitions(), users: try files.users(), routes: routes,
            outsiders: outsiders)
    }
}
