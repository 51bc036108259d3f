import Daemon
import Delivery
import HTTPClient
import Postgres
import Storage
import Topology

extension Command {
    /// Offline: reads `topology/` and, if one is named, the apps file.
    static let topologyLint = Command(
        "topology lint",
        summary: "Check the topology's files against the rules that keep messages safe; asks no server."
    ) { _ in
        let reader = EnvironmentReader(ProcessEnvironment.current)
        let directory = reader.string("MOBILE_DELIVERY_TOPOLOGY_DIRECTORY", default: "topology")
        let appsFile = reader.optionalString("MOBILE_DELIVERY_APPS_FILE")
        try reader.finish()
        let files = TopologyFiles(directory: directory)
        let broker = DesiredBroker(
            definitions: try files.definitions(), users: try files.users(),
            routes: try TopologySetup.routes(of: appsFile), outsiders: try files.outsiders())
        let findings = BrokerLint(broker).findings()
        for finding in findings { print(finding) }
        guard findings.isEmpty else {
            throw CommandFailure(.failure, "\(findings.count) findings in \(directory): mend each line above")
        }
        print("\(directory) is sound")
    }

    static let topologyPlan = Command(
        "topology plan", summary: "Say what `topology apply` would do.", options: [withoutUsers]
    ) { arguments in
        try await TopologySetup.with(arguments) { setup in
            let plan = try await setup.broker.plan()
            for change in plan.changes { print("+ \(change)") }
            for route in try await setup.missingRows() { print("+ row of route \(route)") }
            for finding in plan.conflicts + plan.deletions { print("! \(finding)") }
            for finding in plan.extras { print("? \(finding)") }
        }
    }

    static let topologyApply = Command(
        "topology apply",
        summary: "Make virtual host, exchanges, queues, bindings, policies, users and route rows; deletes nothing.",
        options: [
            withoutUsers, .flag("allow-deletion", "also change policies in a way that deletes waiting dead letters"),
        ]
    ) { arguments in
        try await TopologySetup.with(arguments) { setup in
            let changes = try await setup.broker.apply(
                passwords: setup.passwords, allowsDeletion: arguments.has("allow-deletion"))
            for change in changes { print("+ \(change)") }
            try await setup.addRows()
            print("topology is up to date: \(changes.count) changes, \(setup.routes.count) routes")
        }
    }

    static let topologyCheck = Command(
        "topology check", summary: "Compare a live broker and the route rows with the files; ends 1 if they differ.",
        options: [withoutUsers]
    ) { arguments in
        try await TopologySetup.with(arguments) { setup in
            let plan = try await setup.broker.plan()
            let rows = try await setup.missingRows()
            for change in plan.changes { print("missing or different: \(change)") }
            for finding in plan.conflicts + plan.extras { print(finding) }
            for route in rows { print("row of route \(route): missing in route_state") }
            let count = plan.changes.count + plan.conflicts.count + plan.extras.count + rows.count
            guard count == 0 else {
                throw CommandFailure(
                    .failure, "\(count) differences: `mobile-delivery topology apply` mends what is missing")
            }
            print("broker and database hold what the files say")
        }
    }

    private static let withoutUsers = CommandOption.flag("without-users", "leave the broker's users and rights alone")
}

/// What the topology commands share: the files, the broker's management API and the database.
private struct TopologySetup {
    let broker: BrokerSetup
    let database: Database
    let routes: [Route]
    let passwords: [String: Secret<String>]

    static func with(_ arguments: ParsedArguments, _ body: (TopologySetup) async throws -> Void) async throws {
        let reader = EnvironmentReader(ProcessEnvironment.current)
        let management = reader.secret("MOBILE_DELIVERY_MANAGEMENT_URL")
        let settings = reader.secret("DATABASE_URL", expected: "postgres://user:password@host:port/database") {
            try ConnectionSettings(url: $0)
        }
        let directory = reader.string("MOBILE_DELIVERY_TOPOLOGY_DIRECTORY", default: "topology")
        let virtualHost = reader.string("MOBILE_DELIVERY_VIRTUAL_HOST", default: "mobile-delivery")
        let appsFile = reader.string("MOBILE_DELIVERY_APPS_FILE")
        let files = TopologyFiles(directory: directory)
        let outsiders = try files.outsiders()
        let users = arguments.has("without-users") ? [] : try files.users() + outsiders.users
        let given = users.map { ($0.name, reader.optionalSecret(BrokerSetup.passwordSetting(of: $0.name))) }
        try reader.finish()
        guard let settings = settings?.revealed else { return }
        var desired = DesiredBroker(
            virtualHost: virtualHost, definitions: try files.definitions(), routes: try routes(of: appsFile),
            outsiders: outsiders)
        desired.users = users
        let client = Client()
        let database = Database(settings, connections: 1)
        let setup = TopologySetup(
            broker: BrokerSetup(desired, api: ManagementAPI(url: management.revealed, client: client)),
            database: database, routes: try routes(of: appsFile),
            passwords: Dictionary(uniqueKeysWithValues: given).compactMapValues { $0 })
        do {
            try await body(setup)
        } catch {
            await client.close()
            await database.close()
            throw error
        }
        await client.close()
        await database.close()
    }

    static func routes(of appsFile: String?) throws(CommandFailure) -> [Route] {
        guard let appsFile else { return [] }
        let json = try SettingsFile.bytes(appsFile)
        do {
            // Only names are needed here: whoever deploys the topology need not be able to read a sender's keys.
            let apps = try AppsFile(json: json, path: appsFile) { _ in true }
            return apps.routes.compactMap { Route(queue: $0.queue) }
        } catch {
            throw error.failure
        }
    }

    func addRows() async throws(CommandFailure) {
        do {
            try await RouteRows.add(routes, to: database)
        } catch {
            throw CommandFailure(error)
        }
    }

    func missingRows() async throws(CommandFailure) -> [Route] {
        do {
            return try await RouteRows.missing(routes, in: database)
        } catch {
            throw CommandFailure(error)
        }
    }
}
