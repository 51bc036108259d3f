import Delivery
import Glibc
import LocalStack
import TokenSigning

/// One APNs sender process that takes what is in its queue, watched from outside.
struct SenderRun {
    /// What was seen.
    struct Outcome: Sendable {
        /// Hints a second, from the first outcome to the last.
        let rate: Double
        /// Of the sender process alone, from the first outcome to the last.
        let processorMicroseconds: Double
    }

    /// Hints that a sender has in hand at most, unless a setting says otherwise.
    static let concurrency = 1000

    let site: OutboxSite
    let server: BareServer
    private let environment: [String: String]

    init(_ site: OutboxSite, _ server: BareServer) throws {
        self.site = site
        self.server = server
        let folder = site.stack.servers.folder
        let files = (key: "\(site.stack.folder)/bench.p8", apps: "\(site.stack.folder)/sender-apps.json")
        try folder.write(PrivateKey.generate(.es256).pem, to: files.key)
        try folder.write(
            """
            {"apps": [{"name": "\(OutboxSite.route.app)", "apns": {"bundleId": "com.example.app", "teamId": "BENCH00001",
              "keyId": "BENCH00001", "keyFile": "\(files.key)"}}]}
            """, to: files.apps)
        environment = site.stack.environment(of: .apnsSender).merging([
            "MOBILE_DELIVERY_APPS_FILE": files.apps,
            "MOBILE_DELIVERY_TOKEN_KEYS_FILE": StackSetup(site.stack).tokenKeysFile,
            "MOBILE_DELIVERY_APNS_PRODUCTION_URL": "https://localhost:\(server.port)",
            "MOBILE_DELIVERY_PROVIDER_CA_FILE": server.authorityFile,
        ]) { _, own in own }
    }

    /// Starts a sender, waits until `hints` were accepted, and stops it. `number` tells the logs apart.
    func drain(_ hints: Int, number: Int) async throws -> Outcome {
        try await withSender(number: number) { process, tally in
            try await tally.wait(for: 1)
            let before = process.child.identity.processorTime
            let counted = await tally.total
            try await tally.wait(for: hints)
            let after = process.child.identity.processorTime
            guard let before, let after, let first = await tally.first, let last = await tally.last, last > first else {
                throw Unusable("the sender ended: \(process.child.lastLine)")
            }
            try await Self.check(tally, hints)
            let rest = Double(max(1, hints - counted))
            return Outcome(
                rate: Double(hints) / ((last - first) / .seconds(1)),
                processorMicroseconds: (after - before) / .microseconds(1) / rest)
        }
    }

    /// Resident memory in KiB while the provider stands still and as many of `hints` as the sender takes are in flight, with
    /// their number.
    func memoryInFlight(_ hints: Int, number: Int) async throws -> (inFlight: Int, kibibytes: Int) {
        let queue = try await QueueWatch.open(site)
        let result = try await withSender(number: number) { process, tally in
            // By then the prefetch has grown, and more than enough is left.
            try await tally.wait(for: hints / 4)
            server.process.identity.signal(SIGSTOP)
            defer { server.process.identity.signal(SIGCONT) }
            var inFlight = 0
            var kibibytes = 0
            // What it takes comes within moments, on a busy machine later; the server goes on before requests time out.
            for turn in 0..<100 {
                try await Task.sleep(for: .milliseconds(100))
                if turn >= 20, inFlight >= Self.concurrency { break }
                let left = try await queue.ready(OutboxSite.route.queue)
                inFlight = max(inFlight, hints - left - (await tally.total))
                kibibytes = max(kibibytes, process.child.identity.residentMemory ?? 0)
            }
            server.process.identity.signal(SIGCONT)
            guard inFlight >= Self.concurrency else { throw Unusable("only \(inFlight) hints were in flight") }
            try await tally.wait(for: hints)
            return (inFlight, kibibytes)
        }
        await queue.close()
        return result
    }

    private func withSender<Result: Sendable>(
        number: Int, _ body: (StackProcess, OutcomeTally) async throws -> Result
    ) async throws -> Result {
        try await OutcomeTally.with(site) { tally in
            let process = try StackProcess(
                "apns-sender",
                ProcessCommand(site.stack.programs.mobileDelivery, ["apns-sender"], environment: environment),
                logPath: "\(site.stack.folder)/apns-sender-\(number).log")
            do {
                let result = try await body(process, tally)
                guard await process.child.end(within: .seconds(25)) == .exited(0) else {
                    throw Unusable("the sender did not stop: \(process.child.lastLine)")
                }
                return result
            } catch {
                await process.child.end(within: .seconds(2))
                throw error
            }
        }
    }

    private static func check(_ tally: OutcomeTally, _ hints: Int) async throws {
        let others = await tally.others
        guard await tally.accepted == hints, others.isEmpty else {
            throw Unusable("\(await tally.accepted) of \(hints) hints were accepted, others were \(others)")
        }
    }
}
