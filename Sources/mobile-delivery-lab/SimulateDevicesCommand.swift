import Cryptography
import Daemon
import DeviceFleet

extension Command {
    static let simulateDevices = Command(
        "simulate devices",
        summary: "phones that run the device kit; SIGUSR1 opens the app on all of them",
        options: [
            .value("gateway", "URL", "base URL of the device gateway", isRequired: true),
            .value("ca-file", "FILE", "certificates to trust, if the gateway has one of its own"),
            .value("providers", "URL", "control URL of the provider simulator; without it no hint arrives"),
            .value("account", "NAME", "whose phones they are", isRequired: true),
            .value(
                "accounts", "COUNT",
                "deal them out to NAME-0, NAME-1 …; an account has at most 32 (1; one for two with --count)"),
            .value("producer-token-file", "FILE", "token for the producer API, which gives enrolment tickets"),
            .value("tickets-file", "FILE", "enrolment tickets instead, one a line"),
            .value(
                "producer-key", "FILE", "key that signs jobs: its public half is pinned; made if missing",
                isRequired: true),
            .value("count", "COUNT", "phones, half of them iPhones; instead of the two below"),
            .value("ios", "COUNT", "iPhones (1)"),
            .value("android", "COUNT", "Android phones (1)"),
            .value("directory", "DIR", "where each phone keeps its store; without it in memory"),
            .value("app", "NAME", "app of the apps file (cheqi)"),
            .value("environment", "NAME", "APNs environment of the iOS builds: production or sandbox (production)"),
            .value("bundle-id", "ID", "of the app at the simulator (com.example.NAME)"),
            .value("project-id", "ID", "of the app at the simulator (simulated-NAME)"),
            .value("foreground-sync-every", "TIME", "each owner opens the app that often, for example 30s"),
            .flag("once", "one foreground sync a phone, then the end"),
        ]
    ) { arguments in
        let author = try AuthorKey.loadOrMake(arguments.required("producer-key"))
        var configuration = FleetConfiguration(
            gateway: try arguments.required("gateway"), account: try arguments.required("account"),
            tickets: try tickets(arguments), authors: [author.id: author.key.publicKey])
        configuration.caFile = arguments.value(of: "ca-file")
        configuration.providers = arguments.value(of: "providers").map {
            $0.hasSuffix("/") ? String($0.dropLast()) : $0
        }
        if arguments.value(of: "count") != nil {
            guard arguments.value(of: "ios") == nil, arguments.value(of: "android") == nil else {
                throw CommandFailure(.usage, "give either --count or --ios and --android")
            }
            let count = try arguments.integer("count", default: 2, in: 1...20_000)
            configuration.accounts = (count + 1) / 2
            configuration.ios = (count + 1) / 2
            configuration.android = count / 2
        } else {
            configuration.ios = try arguments.integer("ios", default: 1, in: 0...10_000)
            configuration.android = try arguments.integer("android", default: 1, in: 0...10_000)
        }
        configuration.accounts = try arguments.integer("accounts", default: configuration.accounts, in: 1...20_000)
        configuration.directory = arguments.value(of: "directory")
        configuration.app = arguments.value(of: "app") ?? configuration.app
        configuration.environment = try environment(arguments)
        configuration.bundleID = arguments.value(of: "bundle-id") ?? ""
        configuration.projectID = arguments.value(of: "project-id") ?? ""
        configuration.isOnce = arguments.has("once")
        if let text = arguments.value(of: "foreground-sync-every") {
            guard let every = DurationText.parse(text), every >= .milliseconds(100) else {
                throw CommandFailure(
                    .usage, "--foreground-sync-every must be a time such as 500ms, 30s or 2m, not '\(text)'")
            }
            configuration.foregroundEvery = every
        }
        let fleet = Fleet(configuration)
        try await DaemonMain.run("simulate devices") { _ in [fleet] }
    }

    private static func tickets(_ arguments: ParsedArguments) throws(CommandFailure) -> FleetConfiguration.Tickets {
        switch (arguments.value(of: "producer-token-file"), arguments.value(of: "tickets-file")) {
        case (let path?, nil): return .producer(token: try SettingsFile.text(path))
        case (nil, let path?):
            return .given(try SettingsFile.text(path).split(whereSeparator: \.isWhitespace).map(String.init))
        default: throw CommandFailure(.usage, "give either --producer-token-file or --tickets-file")
        }
    }

    private static func environment(_ arguments: ParsedArguments) throws(CommandFailure) -> String {
        let name = arguments.value(of: "environment") ?? "production"
        guard name == "production" || name == "sandbox" else {
            throw CommandFailure(.usage, "--environment must be production or sandbox, not '\(name)'")
        }
        return name
    }
}
