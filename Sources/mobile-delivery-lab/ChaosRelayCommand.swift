import Chaos
import Daemon
import Glibc
import LocalStack

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
        let campaigns = try campaigns(arguments)
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        let isJSON = arguments.has("json")
        let failed = try await Interrupts.handled { interrupts in
            let stage = try await ChaosStage.start(under: LabEnvironment.temporaryFolder, programs) {
                interrupts.guarding($0)
            }
            var failed: [String] = []
            do {
                for campaign in campaigns where !(try await hasPassed(campaign, stage, isJSON)) {
                    failed.append("\(campaign.fault) (seed \(campaign.seed))")
                }
            } catch {
                try await stage.stop()
                throw error
            }
            try await stage.stop()
            return failed
        }
        if !failed.isEmpty {
            throw CommandFailure(.failure, "broken promises under \(failed.joined(separator: ", ")): see above")
        }
    }
}

/// One that could not be run to its end has not passed, and is no reason to leave out those after it.
private func hasPassed(_ campaign: RelayCampaign, _ stage: ChaosStage, _ isJSON: Bool) async throws -> Bool {
    do {
        let report = try await campaign.run(on: stage)
        report.print(asJSON: isJSON)
        return report.hasPassed
    } catch {
        try Task.checkCancellation()
        Log.error("the campaign ended early", ["fault": .string(campaign.fault.rawValue), .cause: .string("\(error)")])
        return false
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

extension CampaignReport {
    func print(asJSON isJSON: Bool) {
        Swift.print(isJSON ? String(decoding: json, as: UTF8.self) : text)
        // Whoever watches a long run wants each campaign as it ends.
        fflush(nil)
    }
}
