import Chaos
import Daemon
import LocalStack

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
        let campaigns = try campaigns(arguments)
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        let isJSON = arguments.has("json")
        let failed = try await Interrupts.handled { interrupts in
            let stage = try await ChaosStage.start(
                under: LabEnvironment.temporaryFolder, programs,
                // As many as a storm leaves room for, so that a large one ends before the day does.
                settings: ["MOBILE_DELIVERY_SENDER_CONCURRENCY": "300"]
            ) {
                interrupts.guarding($0)
            }
            var failed: [String] = []
            do {
                for campaign in campaigns {
                    let report = try await campaign.run(on: stage)
                    report.print(asJSON: isJSON)
                    if !report.hasPassed { failed.append("\(campaign.trouble)") }
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
