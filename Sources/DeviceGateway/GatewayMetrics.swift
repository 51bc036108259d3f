import Daemon

/// What operators see of a gateway.
struct GatewayMetrics: Sendable {
    let metrics: Metrics

    func answered(_ call: String, status: UInt16, within duration: Duration) {
        metrics.counter(
            "mobile_delivery_gateway_requests_total", help: "Requests answered, by call and class of status.",
            labels: ["call": call, "status": "\(status / 100)xx"]
        ).add()
        metrics.histogram(
            "mobile_delivery_gateway_request_seconds", help: "From the whole request to its answer.",
            labels: ["call": call]
        ).observe(duration)
    }

    func refused(_ problem: String) {
        metrics.counter(
            "mobile_delivery_gateway_problems_total", help: "Requests refused, by problem type.",
            labels: ["problem": problem]
        ).add()
    }
}
