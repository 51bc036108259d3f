import Daemon
import FoundationEssentials
import Glibc
import LoadTest
import LocalStack

extension Command {
    /// Ends with status 2 if a hint is not accounted for, with 1 if one did not end in time.
    static let loadTest = Command(
        "loadtest", summary: "open-loop load on the whole system, and whether every hint is accounted for",
        options: loadTestOptions
    ) { arguments in
        let plan = try LoadPlan(arguments)
        let files = LoadTestFiles(arguments)
        try files.check()
        let report = try await Interrupts.handled { interrupts in
            try await measure(plan, arguments, interrupts)
        }
        print(report.text)
        fflush(nil)
        try files.write(report)
        if !report.isKept {
            throw CommandFailure(.brokenPromise, "hints are not accounted for: they are listed above")
        }
        guard report.isDrained else {
            throw CommandFailure(.failure, "not every hint came to its end in time: give --patience or less load")
        }
    }

    private static func measure(
        _ plan: LoadPlan, _ arguments: ParsedArguments, _ interrupts: Interrupts
    ) async throws -> LoadReport {
        if arguments.has("database") {
            let site = try await existingSite(arguments, plan)
            return try await measure(plan, arguments) { try await run($0, on: site) }
        }
        let programs = try Programs.besideThisOne(topology: LabEnvironment.topologyFolder)
        let servers = try await Servers.start(under: LabEnvironment.temporaryFolder, durable: true) {
            interrupts.guarding($0)
        }
        do {
            let report = try await LoadSite.privately(on: servers, programs, plan) { site in
                try await measure(plan, arguments) { try await run($0, on: site) }
            }
            try await servers.stop()
            return report
        } catch {
            try? await servers.stop()
            throw error
        }
    }

    private static func measure(
        _ plan: LoadPlan, _ arguments: ParsedArguments, _ run: (LoadPlan) async throws -> LoadReport
    ) async throws -> LoadReport {
        guard arguments.has("find-max") else { return try await run(plan) }
        let text = arguments.value(of: "objective") ?? "p99<2s"
        guard let objective = Objective(text) else {
            throw CommandFailure(.usage, "--objective must be such as p99<2s or p99.9<500ms, not '\(text)'")
        }
        let seconds = try arguments.duration("probe").map { $0 / .milliseconds(1) / 1e3 } ?? 10
        return try await MaximumRun(plan, objective, seconds: seconds).run(run)
    }

    private static func run(_ plan: LoadPlan, on site: LoadSite) async throws -> LoadReport {
        let display = LiveDisplay(plan, isTerminal: isatty(STDERR_FILENO) == 1)
        return try await LoadRun(site, plan) { display.show($0) }.run()
    }

    private static func existingSite(_ arguments: ParsedArguments, _ plan: LoadPlan) async throws -> LoadSite {
        for option in ["phones", "instances", "kill", "kill-each", "setting"] where arguments.has(option) {
            throw CommandFailure(.usage, "--\(option) needs a private stack: leave out --database")
        }
        return try await LoadSite(
            databaseURL: try arguments.required("database"), amqpURL: try arguments.required("amqp"),
            providers: try arguments.required("providers"), appsFile: try arguments.required("apps-file"),
            tokenKeysFile: try arguments.required("token-keys-file"))
    }
}
