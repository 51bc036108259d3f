import Delivery
import Testing

@Suite struct RouteTests {
    @Test(arguments: [
        (Route(provider: .apns, environment: "production", app: "cheqi"), "hints.apns.production.cheqi"),
        (Route(provider: .apns, environment: "sandbox", app: "a-1"), "hints.apns.sandbox.a-1"),
        (Route(provider: .fcm, environment: "", app: "cheqi"), "hints.fcm.cheqi"),
    ])
    func `a route and its queue name each other`(route: Route, queue: String) {
        #expect(route.queue == queue)
        #expect(Route(queue: queue) == route)
        #expect(route.outcomeKey == "outcome." + queue.dropFirst("hints.".count))
    }

    @Test(arguments: [
        "hints.apns.dead", "hints.fcm.dead", "hints.apns.staging.cheqi", "hints.fcm.production.cheqi", "hints.fcm.",
        "hints.fcm.Cheqi", "outcome.fcm.cheqi", "hints.wns.cheqi", "hints", "", "hints.fcm.cheqi.",
        "hints.fcm.0123456789012345678901234567890123456789x",
    ])
    func `other queues are no routes`(queue: String) {
        #expect(Route(queue: queue) == nil)
    }
}
