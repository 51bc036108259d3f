import Chaos
import Daemon
import Glibc
import LocalStack

extension Command {
    /// Ends with status 1 if a campaign failed.
    static let chaosDevices = Command(
        "chaos devices", summary: "many devices at one job, and devices that are slow or die, against several gateways",
        options: [
            .value(
                "trouble", "NAME", "one of \(DeviceTrouble.allCases.map(\.rawValue).joined(separator: ", ")); all",
                isRequired: true),
            .value("rounds", "N", "jobs for which all wake together (1000)"),
            .value("devices", "N", "devices that wake together (32)"),
            .value("patience", "TIME", "how long a job may take to its end (1m)"),
            .flag("json", "one JSON object a campaign"),
        ]
    ) { arguments in
        let campaigns = try campaigns(arguments)
        let isJSON = arguments.has("json")
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        let failed = try await Interrupts.handled { try await failures(of: campaigns, isJSON, programs, $0) }
        if !failed.isEmpty {
            throw CommandFailure(.failure, "broken promises under \(failed.joined(separator: ", ")): see above")
        }
    }
}

/// Runs them on a stage of their own; the names of those that broke a promise. A function of its own, because the optimiser
/// of Swift 6.3 crashes on it as a closure.
private func failures(
    of campaigns: [DeviceCampaign], _ isJSON: Bool, _ programs: Programs, _ interrupts: Interrupts
) async throws -> [String] {
    let stage = try await DeviceStage.start(under: LabEnvironment.temporaryFolder, programs) {
        interrupts.guarding($0)
    }
    let outcome: Result<[String], any Error>
    do {
        outcome = .success(try await failures(of: campaigns, isJSON, on: stage))
    } catch {
        outcome = .failure(error)
    }
    try await stage.stop()
    return try outcome.get()
}

private func failures(
    of campaigns: [DeviceCampaign], _ isJSON: Bool, on stage: DeviceStage
) async throws -> [String] {
    var failed: [String] = []
    for campaign in campaigns {
        let report = try await campaign.run(on: stage)
        print(isJSON ? String(decoding: report.json, as: UTF8.self) : report.text)
        fflush(nil)
        if !report.hasPassed { failed.append(campaign.trouble.rawValue) }
    }
    return failed
}

private func campaigns(_ arguments: ParsedArguments) throws(CommandFailure) -> [DeviceCampaign] {
    let name = try arguments.required("trouble")
    let troubles = name == "all" ? DeviceTrouble.allCases : DeviceTrouble(rawValue: name).map { [$0] } ?? []
    guard !troubles.isEmpty else {
        let names = DeviceTrouble.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFailure(.usage, "--trouble must be all or one of \(names), not '\(name)'")
    }
    return try troubles.map { trouble throws(CommandFailure) in
        var campaign = DeviceCampaign(trouble)
        campaign.rounds = try arguments.integer("rounds", default: campaign.rounds, in: 1...1_000_000)
        campaign.devices = try arguments.integer("devices", default: campaign.devices, in: 1...32)
        campaign.patience = try arguments.duration("patience") ?? campaign.patience
        return campaign
    }
}
