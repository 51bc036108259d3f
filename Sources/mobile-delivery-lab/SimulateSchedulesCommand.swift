import Daemon
import DeviceFleet
import Glibc

extension Command {
    /// Ends with status 1 if a promise was broken, or if a planted bug was not noticed.
    static let simulateSchedules = Command(
        "simulate schedules",
        summary:
            "random histories of phones with crashes at any call, each from a seed, and what must hold in all of them",
        options: [
            .value("count", "N", "schedules (1000)"),
            .value("seed", "N", "of the first one; the others follow it (1)"),
            .value(
                "plant", "NAME",
                "puts a bug into the phones, which has to be noticed: all or one of "
                    + PlantedDefect.allCases.map(\.rawValue).joined(separator: ", ")),
            .flag("history", "every request and everything that happens to a phone"),
            .value("threads", "N", "at once (2)"),
        ]
    ) { arguments in
        let seed = UInt64(try arguments.integer("seed", default: 1, in: 0...Int.max))
        let count = try arguments.integer("count", default: 1000, in: 1...100_000_000)
        let threads = try arguments.integer("threads", default: 2, in: 1...256)
        guard let name = arguments.value(of: "plant") else {
            var campaign = ScheduleCampaign(seed: seed, count: count)
            if arguments.has("history") { campaign.log = { print($0) } }
            return try await report(campaign, threads)
        }
        let defects = name == "all" ? PlantedDefect.allCases : PlantedDefect(rawValue: name).map { [$0] } ?? []
        guard !defects.isEmpty else { throw CommandFailure(.usage, "there is no bug '\(name)' to plant") }
        for defect in defects { try await plant(defect, seed, count, threads) }
    }

    private static func report(_ campaign: ScheduleCampaign, _ threads: Int) async throws {
        let start = ContinuousClock.now
        let report = await campaign.run(threads: threads) { done in
            guard done % 10_000 == 0 else { return }
            print("\(done) schedules")
            fflush(nil)
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        print("\(report.schedules) schedules, \(report.jobs) jobs, \(report.requests) requests, \(seconds) s")
        if report.schedules == 1 { print("trace \(report.trace)") }
        for broken in report.broken.sorted(by: { $0.seed < $1.seed }).prefix(20) {
            print("seed \(broken.seed): \(broken.violations.prefix(3).joined(separator: "; "))")
        }
        guard let first = report.broken.map(\.seed).min() else { return }
        throw CommandFailure(
            .failure,
            "\(report.broken.count) schedules broke a promise; `simulate schedules --count 1 --seed \(first)` replays one"
        )
    }

    private static func plant(_ defect: PlantedDefect, _ seed: UInt64, _ count: Int, _ threads: Int) async throws {
        var campaign = ScheduleCampaign(seed: seed, count: count)
        campaign.defects = [defect]
        campaign.stopsEarly = true
        let report = await campaign.run(threads: threads)
        guard let broken = report.broken.first else {
            throw CommandFailure(.failure, "\(defect.rawValue) was not noticed in \(report.schedules) schedules")
        }
        print(
            "\(defect.rawValue): noticed by schedule \(report.schedules), seed \(broken.seed): \(broken.violations[0])")
    }
}
