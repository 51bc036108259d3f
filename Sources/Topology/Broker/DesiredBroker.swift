public import Delivery

/// Everything that one virtual host must hold: the files of `topology/`, the routes of the apps file, the outsiders.
public struct DesiredBroker: Equatable, Sendable {
    public var virtualHost: String
    public var definitions: BrokerDefinitions
    public var users: [UserDefinition]

    public init(
        virtualHost: String = "mobile-delivery", definitions: BrokerDefinitions, users: [UserDefinition] = [],
        routes: [Route] = [], outsiders: Outsiders = Outsiders()
    ) {
        self.virtualHost = virtualHost
        self.definitions = definitions
        for route in Set(routes.map(\.queue)).sorted() {
            self.definitions.add(queue: route, boundTo: "hints", keys: [route])
        }
        outsiders.add(to: &self.definitions)
        self.users = users + outsiders.users
    }
}
