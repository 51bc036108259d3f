import Daemon
import DeviceFleet
import Glibc
import HTTPClient
import LocalStack
import Verification

extension Command {
    /// Ends with status 1 if a step failed.
    static let verify = Command(
        "verify", summary: "the eight steps of production verification, with phones in hand or simulated ones",
        options: [
            .flag("simulated", "on private servers with simulated phones"),
            .value(
                "defect", "NAME",
                "plants a bug that has to be found, with --simulated: "
                    + VerificationDefect.allCases.map(\.name).joined(separator: ", ")),
            .value("gateway", "URL", "of the environment that the release build uses"),
            .value("ca-file", "FILE", "certificates to trust, if the gateway has one of its own"),
            .value("producer-token-file", "FILE", "token with the scopes devices, commit and status"),
            .value("producer-key", "FILE", "key that signs canaries; the app has to pin its public half"),
            .value("account", "NAME", "whose phones are in hand"),
            .value("recipient", "NAME", "a downstream recipient of the canaries; may be repeated"),
            .value("step", "N", "that step alone; may be repeated (all)"),
            .value("patience", "TIME", "how long a job may take while nothing is in its way (3m)"),
            .value("silence", "TIME", "how long nothing may happen while the phone is away (30s)"),
            .value("seed", "N", "decides the jobs' ids (random)"),
            .value("report", "DIR", "where report.txt, .json, .xml (JUnit) and .html go"),
            .flag("json", "the report as one JSON object, and what happens on standard error"),
        ]
    ) { arguments in
        let seed = UInt64(try arguments.integer("seed", default: .random(in: 0...Int.max)))
        let isQuiet = arguments.has("json")
        let tell: @Sendable (String) -> Void = { line in
            // Unbuffered: a person waits for each line.
            let bytes = Array("\(line)\n".utf8)
            _ = write(isQuiet ? STDERR_FILENO : STDOUT_FILENO, bytes, bytes.count)
        }
        let report =
            arguments.has("simulated")
            ? try await simulated(arguments, seed: seed, tell: tell)
            : try await guided(arguments, seed: seed, tell: tell)
        try end(report, arguments)
    }

    private static func simulated(
        _ arguments: ParsedArguments, seed: UInt64, tell: @escaping @Sendable (String) -> Void
    ) async throws -> VerificationReport {
        let verification = SimulatedVerification(
            try Programs.besideThisOne(topology: LabEnvironment.topologyFolder),
            temporary: LabEnvironment.temporaryFolder, seed: seed, defect: try defect(arguments))
        return try await Interrupts.handled { try await verification.run($0, tell: tell) }
    }

    private static func guided(
        _ arguments: ParsedArguments, seed: UInt64, tell: @escaping @Sendable (String) -> Void
    ) async throws -> VerificationReport {
        var patience = Verification.Patience()
        patience.completion = try arguments.duration("patience") ?? patience.completion
        patience.silence = try arguments.duration("silence") ?? patience.silence
        let steps = try steps(arguments)
        let client = Client(HTTPClient.Configuration(caFile: arguments.value(of: "ca-file")))
        let account = try arguments.required("account")
        let producer = ProducerAPI(
            gateway: try arguments.required("gateway"),
            token: try SettingsFile.text(arguments.required("producer-token-file")), account: account,
            author: try AuthorKey.loadOrMake(arguments.required("producer-key")),
            recipients: arguments.values(of: "recipient"), client: client)
        let person = PersonInCharge(show: tell) { readLine() != nil }
        let verification = Verification(
            producer: producer, phone: person, patience: patience, jobs: SeededIdentifiers(seed: seed), tell: tell)
        return try await verification.run(steps, title: "Verification with the phones of \(account)")
    }

    private static func steps(_ arguments: ParsedArguments) throws(CommandFailure) -> [VerificationStep] {
        let given = arguments.values(of: "step")
        guard !given.isEmpty else { return VerificationStep.allCases }
        var steps: [VerificationStep] = []
        for text in given {
            guard let step = Int(text).flatMap(VerificationStep.init) else {
                throw CommandFailure(.usage, "--step must be a number from 1 to 8, not '\(text)'")
            }
            steps.append(step)
        }
        return steps
    }

    private static func end(_ report: VerificationReport, _ arguments: ParsedArguments) throws(CommandFailure) {
        if let folder = arguments.value(of: "report") { try report.write(to: folder) }
        print(arguments.has("json") ? String(decoding: report.json, as: UTF8.self) : "\n\(report.text)")
        if let failure = report.failure {
            throw CommandFailure(.failure, "\(failure.step.name): \(failure.problem ?? "")")
        }
    }

    private static func defect(_ arguments: ParsedArguments) throws(CommandFailure) -> VerificationDefect? {
        guard let name = arguments.value(of: "defect") else { return nil }
        guard let defect = VerificationDefect.allCases.first(where: { $0.name == name }) else {
            let names = VerificationDefect.allCases.map(\.name).joined(separator: ", ")
            throw CommandFailure(.usage, "--defect must be one of \(names), not '\(name)'")
        }
        return defect
    }
}
