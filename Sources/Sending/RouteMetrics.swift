import Daemon
import Delivery
import Messages

/// The numbers of one route.
struct RouteMetrics: Sendable {
    private let metrics: Metrics
    private let route: String
    private let requests: CounterFamily
    private let outcomes: CounterFamily
    let latency: Histogram
    let inHand: Gauge
    let paused: Gauge
    let remembered: Counter
    let pacingWaits: Counter

    init(_ metrics: Metrics, route: Route) {
        self.metrics = metrics
        self.route = route.description
        let labels = ["route": route.description]
        requests = CounterFamily(
            metrics, "mobile_delivery_sender_requests_total", help: "Requests by verdict and reason.", fixed: labels,
            varying: ["verdict", "reason"])
        outcomes = CounterFamily(
            metrics, "mobile_delivery_sender_outcomes_total", help: "Outcomes by kind.", fixed: labels,
            varying: ["kind"])
        latency = metrics.histogram(
            "mobile_delivery_sender_request_seconds", help: "From the start of a request to its judgement.",
            labels: labels)
        inHand = metrics.gauge(
            "mobile_delivery_sender_hints_in_hand", help: "Hints taken from the queue and not yet acknowledged.",
            labels: labels)
        paused = metrics.gauge(
            "mobile_delivery_sender_paused", help: "1 while this process has paused the route.", labels: labels)
        remembered = metrics.counter(
            "mobile_delivery_sender_remembered_total", help: "Hints answered from the memory of acceptances.",
            labels: labels)
        pacingWaits = metrics.counter(
            "mobile_delivery_sender_pacing_waits_total", help: "Hints that waited for the provider's quota.",
            labels: labels)
    }

    func judged(_ judgement: Judgement) {
        requests[judgement.verdict.name, Self.label(judgement.reason)].add()
    }

    func rehearsed(_ rehearsal: Rehearsal) {
        let finding: String
        switch rehearsal {
        case .fit: finding = "fit"
        case .unfit(let reason): finding = Self.label(reason)
        }
        metrics.counter(
            "mobile_delivery_sender_rehearsed_total", help: "Hints that a dry run checked, by what it found.",
            labels: ["route": route, "finding": finding]
        ).add()
    }

    /// 1 if a dry run's last probe proved the credential.
    var credentialGood: Gauge {
        metrics.gauge(
            "mobile_delivery_sender_credential_good", help: "1 if a dry run's last probe proved the credential.",
            labels: ["route": route])
    }

    /// What follows a colon is free text: fit for a log, not for a label.
    private static func label(_ reason: String) -> String {
        reason.split(separator: ":" as Character).first.map { String($0.prefix(48)) } ?? ""
    }

    func reported(_ kind: OutcomeKind) {
        outcomes[kind.rawValue].add()
    }

    func buried(_ reason: String) {
        metrics.counter(
            "mobile_delivery_sender_dead_letters_total", help: "Dead letters by reason.",
            labels: ["route": route, "reason": reason]
        ).add()
    }

    func pauseBegan(_ reason: String) {
        paused.set(1)
        metrics.counter(
            "mobile_delivery_sender_pauses_total", help: "Pauses by reason.",
            labels: ["route": route, "reason": Self.label(reason)]
        ).add()
    }
}
