import Daemon
import FoundationEssentials
import Glibc

/// The phones of one account: a process of `simulate devices`, which keeps what each phone stores in a folder.
public actor Phones {
    public let account: String
    public nonisolated let logPath: String
    private let process: StackProcess

    private init(account: String, process: StackProcess) {
        self.account = account
        self.process = process
        logPath = process.child.logPath
    }

    /// Enrols `ios` and `android` phones of `account` through the gateway and returns when all are enrolled and listen.
    public static func start(
        on stack: Stack, account: String = "demo", ios: Int = 1, android: Int = 1
    ) async throws -> Phones {
        let setup = StackSetup(stack.site)
        let folder = "\(stack.site.folder)/phones-\(account)"
        mkdir(folder, 0o700)
        let process = try StackProcess(
            "phones of \(account)",
            ProcessCommand(
                stack.site.programs.lab,
                [
                    "simulate", "devices", "--gateway", stack.gatewayURL, "--providers", stack.providers.control,
                    "--producer-token-file", setup.producerTokenFile, "--account", account, "--ios", "\(ios)",
                    "--android", "\(android)", "--directory", folder, "--producer-key", setup.producerKeyFile,
                ], environment: stack.site.commonEnvironment),
            logPath: "\(folder)/log-\(RandomWord.make())")
        await stack.add(process)
        let phones = Phones(account: account, process: process)
        try await phones.wait(for: "ready", count: ios + android)
        return phones
    }

    /// One foreground sync of every phone, as when its owner opens the app; returns when all are done.
    public func foregroundSync() async throws {
        let before = count(of: "synced")
        let phones = count(of: "ready")
        process.child.signal(SIGUSR1)
        try await wait(for: "synced", count: before + phones)
    }

    /// SIGTERM; what the phones stored stays for `start` to find again.
    public func stop() async { await process.child.end(within: .seconds(10)) }

    /// The digest of the receipt for `job` on each phone that stored one.
    public nonisolated func digests(of job: String) -> [String: String] {
        var digests: [String: String] = [:]
        for line in lines where line.texts["event"] == "persisted" && line.texts["job"] == job {
            if let device = line.texts["device"] { digests[device] = line.texts["digest"] }
        }
        return digests
    }

    /// `ios` or `android`, by device.
    public nonisolated var platforms: [String: String] {
        let pairs = lines.compactMap { line in
            line.texts["device"].flatMap { device in line.texts["platform"].map { (device, $0) } }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private nonisolated var lines: [JSONLine] {
        let bytes = FileManager.default.contents(atPath: logPath) ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { JSONLine($0) }
    }

    /// How often the phones said that.
    public nonisolated func count(of event: String) -> Int { lines.count { $0.texts["event"] == event } }

    private func wait(for event: String, count wanted: Int) async throws {
        try await LocalStack.wait(within: .seconds(60)) {
            if !process.child.identity.isRunning {
                throw CommandFailure(.temporary, "the phones ended: \(process.child.lastLine)")
            }
            return count(of: event) >= wanted
        } late: {
            CommandFailure(.temporary, "only \(count(of: event)) of \(wanted) phones said '\(event)' within 60 s")
        }
    }
}
