import Daemon
public import LocalStack

/// The system that a test loads.
public struct LoadSite: Sendable {
    /// As the owner of the schema.
    let databaseURL: String
    /// As an administrator.
    let amqpURL: String
    let providers: ProviderControl
    let appsFile: String
    /// Content of the token keys file.
    let tokenKeys: String
    /// nil for a system that somebody else runs.
    let stack: Stack?

    /// A private one, which has the mark by birth.
    public init(_ stack: Stack) async throws {
        try await LoadMark.set(on: stack.site.databaseURL)
        try await self.init(
            databaseURL: stack.site.databaseURL, amqpURL: stack.site.amqpURL, providers: stack.providers.control,
            appsFile: stack.providers.appsFile, tokenKeysFile: StackSetup(stack.site).tokenKeysFile, stack: stack)
    }

    /// One that runs already; throws unless its database is marked.
    public init(
        databaseURL: String, amqpURL: String, providers: String, appsFile: String, tokenKeysFile: String,
        stack: Stack? = nil
    ) async throws {
        try await LoadMark.check(databaseURL)
        self.databaseURL = databaseURL
        self.amqpURL = amqpURL
        self.providers = ProviderControl(url: providers.hasSuffix("/") ? String(providers.dropLast()) : providers)
        self.appsFile = appsFile
        tokenKeys = try SettingsFile.text(tokenKeysFile)
        self.stack = stack
    }

    /// Starts a private stack with as many of each service as the plan says, runs `body` and stops it.
    public static func privately<Result: Sendable>(
        on servers: Servers, _ programs: Programs, _ plan: LoadPlan, _ body: (LoadSite) async throws -> Result
    ) async throws -> Result {
        var settings = usual
        settings.merge(plan.settings) { $1 }
        let stack = try await Stack.start(
            StackSite(servers, programs, name: "load_test"), [], settings: settings, tapping: [])
        do {
            var processes: [StackProcess] = []
            for kind in ServiceKind.allCases {
                for _ in 0..<plan.instances(of: kind) { processes.append(try await stack.launch(kind)) }
            }
            for process in processes { try await process.ready() }
            let result = try await body(LoadSite(stack))
            await stack.stop()
            return result
        } catch {
            await stack.stop()
            throw error
        }
    }

    /// The providers' own limits, and the pace at which a new FCM project may grow, are not what is measured.
    private static let usual = ["MOBILE_DELIVERY_FCM_QUOTA": "100000000", "MOBILE_DELIVERY_FCM_RAMP": "0s"]
}
