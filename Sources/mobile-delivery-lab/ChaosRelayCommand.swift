import Chaos
import Daemon

extension Command {
    /// Ends with status 1 if a campaign failed.
    static let chaosRelay = Command(
        "chaos relay", summary: "faults against relays at work, and whether every promise held",
        options: [
            .value(
                "fault", "NAME", "one of \(Fault.allCases.map(\.rawValue).joined(separator: ", ")); all",
                isRequired: true),
            .value("rounds", "N", "how often it strikes (the fault's own number)"),
            .value("outage", "TIME", "how long what is down stays down (30s)"),
            .value("patience", "TIME", "how long every row may take to end after the fault (2m)"),
            .value("seed", "N", "the same seed strikes at the same points again (random)"),
            .value(
                "defect", "NAME",
                "puts a defect into the relay's statements, which the campaign has to find: "
                    + PlantedDefect.allCases.map(\.rawValue).joined(separator: ", ")),
            .flag("json", "one JSON object a campaign"),
        ]
    ) { arguments in
        try await run(try campaigns(arguments), asJSON: arguments.has("json"))
    }
}

private func campaigns(_ arguments: ParsedArguments) throws(CommandFailure) -> [RelayCampaign] {
    let name = try arguments.required("fault")
    let faults = name == "all" ? Fault.allCases : Fault(rawValue: name).map { [$0] } ?? []
    guard !faults.isEmpty else {
        let names = Fault.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, "--fault must be all or one of \(names), not '\(name)'")
    }
    var scale = CampaignScale()
    if arguments.has("rounds") { scale.rounds = try arguments.integer("rounds", default: 1, in: 1...10_000) }
    scale.outage = try arguments.duration("outage") ?? scale.outage
    scale.patience = try arguments.duration("patience") ?? scale.patience
    var defect: PlantedDefect?
    if let text = arguments.value(of: "defect") {
        defect = PlantedDefect(rawValue: text)
        guard defect != nil else {
            let names = PlantedDefect.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, "--defect must be one of \(names), not '\(text)'")
        }
    }
    let seed = try arguments.integer("seed", default: .random(in: 0...999_999))
    return faults.map { RelayCampaign($0, scale: scale, seed: seed, defect: defect) }
}

extension ParsedArguments {
    /// A time of at least a second; nil if the option was not given.
    func duration(_ option: String) throws(CommandFailure) -> Duration? {
        guard let text = value(of: option) else { return nil }
        guard let time = DurationText.parse(text), time >= .seconds(1) else {
            throw CommandFailure(.usage, "--\(option) must be a time such as 5s or 1m, at least 1s, not '\(text)'")
        }
        return time
    }
}
