import FoundationEssentials

/// What the phones tell in their log, a JSON line an event.
enum PhoneEvents {
    private static let steps: [String: TimelineEvent.Step] = [
        "fetched": .fetched, "claimed": .claimed, "generated": .generated, "persisted": .persisted,
        "leaseGranted": .leaseGranted, "submitted": .submitted,
    ]

    static func event(in line: JSONLine) -> TimelineEvent? {
        guard let step = line.texts["event"].flatMap({ steps[$0] }), let job = line.texts["job"] else { return nil }
        let at = line.numbers["at"].map { Date(timeIntervalSince1970: Double($0) / 1000) } ?? Date()
        let detail =
            switch step {
            case .generated, .persisted: "receipt \(line.texts["digest"]?.prefix(12) ?? "?")"
            case .leaseGranted: "epoch \(line.numbers["epoch"] ?? 0)"
            default: ""
            }
        return TimelineEvent(step, at: at, job: job, device: line.texts["device"], detail: detail)
    }
}
