public import Daemon
public import Delivery

extension AppsFile {
    /// The routes of one provider, or those of them that are named (`apns.production.cheqi`, or as a queue
    /// `hints.apns.production.cheqi`).
    public func routes(of provider: Provider, named names: [String]) throws(CommandFailure) -> [Delivery.Route] {
        let all = routes.compactMap { Delivery.Route(queue: $0.queue) }.filter { $0.provider == provider }
        guard !all.isEmpty else {
            throw CommandFailure(.configuration, "apps file \(path): no app has \(provider.rawValue): add it to one")
        }
        guard !names.isEmpty else { return all }
        var chosen: [Delivery.Route] = []
        for name in names {
            guard let route = all.first(where: { $0.description == name || $0.queue == name }) else {
                let known = all.map(\.description).joined(separator: ", ")
                throw CommandFailure(.usage, "route \(name) is not in apps file \(path): take one of \(known)")
            }
            if !chosen.contains(route) { chosen.append(route) }
        }
        return chosen
    }
}
