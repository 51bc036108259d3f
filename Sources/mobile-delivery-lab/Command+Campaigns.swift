import Chaos
import Daemon
import Glibc
import LocalStack

extension Command {
    /// Runs campaigns one after the other on a stage of their own; ends with status 1 if one failed. `settings` are
    /// variables of the services in place of the stage's own.
    static func run(_ campaigns: [any Campaign], asJSON: Bool, settings: [String: String] = [:]) async throws {
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        let failed = try await Interrupts.handled { interrupts in
            let stage = try await ChaosStage.start(
                under: LabEnvironment.temporaryFolder, programs, settings: settings
            ) {
                interrupts.guarding($0)
            }
            var failed: [String] = []
            do {
                for campaign in campaigns where !(try await hasPassed(campaign, on: stage, asJSON: asJSON)) {
                    failed.append(campaign.title)
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

    /// One that could not be run to its end has not passed, and is no reason to leave out those after it.
    private static func hasPassed(
        _ campaign: any Campaign, on stage: ChaosStage, asJSON: Bool
    ) async throws -> Bool {
        do {
            let report = try await campaign.run(on: stage)
            print(asJSON ? String(decoding: report.json, as: UTF8.self) : report.text)
            // Whoever watches a long run wants each campaign as it ends.
            fflush(nil)
            return report.hasPassed
        } catch {
            try Task.checkCancellation()
            Log.error(
                "the campaign ended early", ["campaign": .string(campaign.title), .cause: .string("\(error)")])
            return false
        }
    }
}
