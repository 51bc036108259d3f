import Daemon
import DeviceFleet

extension Command {
    /// Ends with status 1 above the limit.
    static let simulateMemory = Command(
        "simulate memory", summary: "the memory of phones that live in one process, each with its work done",
        options: [
            .value("count", "N", "phones (10000)"),
            .value("jobs", "N", "of each account of two phones (3)"),
            .value("limit", "MIB", "how much they may take (2048)"),
        ]
    ) { arguments in
        let count = try arguments.integer("count", default: 10_000, in: 2...1_000_000)
        let jobs = try arguments.integer("jobs", default: 3, in: 0...1_000)
        let limit = try arguments.integer("limit", default: 2_048, in: 1...1_000_000)
        let report = FleetMemory(phones: count, jobs: jobs).run()
        let mebibytes = report.residentBytes >> 20
        let each = (report.residentBytes - report.bytesBefore) / report.phones / 1024
        print("\(report.phones) phones, \(report.receipts) receipts: \(mebibytes) MiB, \(each) KiB a phone")
        if let first = report.violations.first { throw CommandFailure(.failure, first) }
        guard mebibytes <= limit else { throw CommandFailure(.failure, "\(mebibytes) MiB are more than \(limit)") }
    }
}
