import Chaos
import Daemon

extension Command {
    /// Ends with status 1 if the campaign failed.
    static let chaosReplay = Command(
        "chaos replay", summary: "dead hints replayed at a rate limit while the replayer is killed with -9",
        options: [
            .value("hints", "N", "hints to replay (100000)"),
            .value("kills", "N", "how often the replayer is killed (20)"),
            .value("rate", "N", "letters a second (1000)"),
            .value("messages", "N", "dead messages of other kinds, replayed afterwards (2000)"),
            .value("patience", "TIME", "how long every hint may take to end (10m)"),
            .flag("json", "one JSON object"),
        ]
    ) { arguments in
        let campaign = ReplayCampaign(
            hints: try arguments.integer("hints", default: 100_000, in: 100...10_000_000),
            kills: try arguments.integer("kills", default: 20, in: 1...1000),
            rate: try arguments.integer("rate", default: 1000, in: 10...100_000),
            messages: try arguments.integer("messages", default: 2000, in: 1...10_000),
            patience: try arguments.duration("patience") ?? .seconds(600))
        try await run(
            [campaign], asJSON: arguments.has("json"), settings: ["MOBILE_DELIVERY_SENDER_CONCURRENCY": "300"])
    }
}
