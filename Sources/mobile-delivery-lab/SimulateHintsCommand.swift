import Daemon
import DeviceFleet

extension Command {
    /// Ends with status 1 if a damaged hint led to a request.
    static let simulateHints = Command(
        "simulate hints", summary: "damaged hints against a device: no crash, and no request for one that is not valid",
        options: [
            .value("count", "N", "hints (1000000)"),
            .value("seed", "N", "what they are drawn from (1)"),
        ]
    ) { arguments in
        let count = try arguments.integer("count", default: 1_000_000, in: 1...1_000_000_000)
        let seed = UInt64(try arguments.integer("seed", default: 1, in: 0...Int.max))
        let report = try await MutatedHints(seed: seed, count: count).run()
        print(
            "\(report.hints) hints: \(report.usable) still valid, \(report.unknown) of another version, "
                + "\(report.hints - report.usable - report.unknown) invalid")
        guard let first = report.violations.first else { return }
        throw CommandFailure(.failure, "\(report.violations.count) broke the promise, the first: \(first)")
    }
}
