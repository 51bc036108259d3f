import Chaos
import Daemon

extension Command {
    /// Ends with status 1 if a campaign failed.
    static let chaosSenders = Command(
        "chaos senders", summary: "providers in trouble and wrong configurations against senders at work",
        options: [
            .value(
                "trouble", "NAME", "one of \(ProviderTrouble.allCases.map(\.rawValue).joined(separator: ", ")); all",
                isRequired: true),
            .value("hints", "N", "hints of a storm, and of bad-tokens (100000, 10000)"),
            .value("outage", "TIME", "how long a wrong configuration lasts (60s)"),
            .value("patience", "TIME", "how long every hint may take to end afterwards (2m)"),
            .flag("json", "one JSON object a campaign"),
        ]
    ) { arguments in
        try await run(
            try campaigns(arguments), asJSON: arguments.has("json"),
            // As many as a storm leaves room for, so that a large one ends before the day does.
            settings: ["MOBILE_DELIVERY_SENDER_CONCURRENCY": "300"])
    }
}

private func campaigns(_ arguments: ParsedArguments) throws(CommandFailure) -> [SenderCampaign] {
    let name = try arguments.required("trouble")
    let troubles = name == "all" ? ProviderTrouble.allCases : ProviderTrouble(rawValue: name).map { [$0] } ?? []
    guard !troubles.isEmpty else {
        let names = ProviderTrouble.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, "--trouble must be all or one of \(names), not '\(name)'")
    }
    let outage = try arguments.duration("outage") ?? .seconds(60)
    let patience = try arguments.duration("patience") ?? .seconds(120)
    return try troubles.map { trouble throws(CommandFailure) in
        let hints = try arguments.integer("hints", default: trouble == .storm ? 100_000 : 10_000, in: 1...10_000_000)
        return SenderCampaign(trouble, hints: hints, outage: outage, patience: patience)
    }
}
