import Daemon
import Delivery
import LocalStack
import Postgres

/// Counts up what became of a test, from everybody who knows.
struct LoadAudit {
    let stage: LoadStage
    let plan: LoadPlan
    let since: Timestamp
    let ledger: Ledger

    func report(
        _ samples: [Sample], outsiders: [Outsider], hasDrained: Bool, lastWords: [String]
    ) async throws -> LoadReport {
        var table = await ledger.table
        for each in stage.phones { PhoneLog.read(each.logPath, into: &table, epoch: ledger.epoch) }
        let reader = HintReader(database: stage.database, since: since, epoch: ledger.epoch)
        var conservation = try await reader.read(into: &table, await ledger.explanations)
        for stranger in await ledger.strangers {
            conservation.add(
                Finding(.unexplained, "a provider was asked about a hint of no job of this test: \(stranger)"))
        }
        var events = 0
        if !outsiders.isEmpty {
            let all = try await reader.events()
            events = all.count
            for (number, outsider) in outsiders.enumerated() {
                for event in all where !outsider.has(event.description) {
                    conservation.add(Finding(.lost, "event \(event) did not reach outsider \(number)"))
                }
            }
        }
        var report = LoadReport(plan: plan, samples: samples, conservation: conservation)
        report.jobs = table.arrivals.count
        report.events = events
        report.hasDrained = hasDrained
        report.lastWords = lastWords
        report.parts = StageLatencies.parts(LoadReport.partCount, of: table, seconds: plan.seconds)
        report.versions = try await versions()
        return report
    }

    private func versions() async throws -> [(name: String, value: String)] {
        let postgres: String = try await stage.database.query("SHOW server_version").one().only()
        #if DEBUG
            let build = "debug"
        #else
            let build = "release"
        #endif
        return [("build", build), ("PostgreSQL", postgres)]
    }
}
