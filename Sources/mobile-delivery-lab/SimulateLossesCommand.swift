import Daemon
import Delivery
import DeviceFleet

extension Command {
    /// Ends with status 1 if a scenario did not go as it must.
    static let simulateLosses = Command(
        "simulate losses",
        summary: "the ways in which hints get lost, each as a story that ends with every job complete",
        options: [
            .value(
                "scenario", "NAME", "one of \(LossScenario.allCases.map(\.rawValue).joined(separator: ", ")); all (all)"
            ),
            .value("seed", "N", "what chance is drawn from (1)"),
        ]
    ) { arguments in
        let name = arguments.value(of: "scenario") ?? "all"
        let scenarios = name == "all" ? LossScenario.allCases : LossScenario(rawValue: name).map { [$0] } ?? []
        guard !scenarios.isEmpty else { throw CommandFailure(.usage, "there is no scenario '\(name)'") }
        let seed = UInt64(try arguments.integer("seed", default: 1, in: 0...Int.max))
        var failed: [String] = []
        for scenario in scenarios {
            let report = scenario.run(seed: seed)
            let repairs = Origin.allCases.compactMap { origin in
                report.repairs[origin].map { "\($0) by \(origin.rawValue)" }
            }
            print("\(scenario.rawValue): \(report.jobs) jobs, receipts \(repairs.joined(separator: ", "))")
            for violation in report.violations { print("  \(violation)") }
            if !report.violations.isEmpty { failed.append(scenario.rawValue) }
        }
        guard failed.isEmpty else {
            throw CommandFailure(.failure, "not as it must be: \(failed.joined(separator: ", "))")
        }
    }
}
