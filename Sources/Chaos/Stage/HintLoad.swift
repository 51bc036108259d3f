import Delivery
import LocalStack
import Postgres

/// Commits small jobs one after the other while a fault strikes, so that every step of a publish is always taken by
/// somebody. Now and then a phone loses its app, so that senders also have hints to fail.
actor HintLoad {
    nonisolated let accounts: [TokenAccount]
    nonisolated private let database: Database
    nonisolated private let providers: ProviderControl
    private var staying: [TokenAccount.Device]
    /// Devices whose token the providers refuse by now, or may refuse.
    private(set) var gone: Set<Identifier> = []
    private var task: Task<Void, Never>?

    private let pause: Duration
    /// So many commits lie between one phone that loses its app and the next.
    private static let commitsBetweenLosses = 10

    /// What is committed.
    enum Kind {
        /// Jobs for one of a few accounts, with three devices on every route; some lose their app.
        case losingPhones
        /// The same, and all phones keep their app.
        case keepingPhones
    }

    private init(
        _ accounts: [TokenAccount], doomed: [TokenAccount.Device], every pause: Duration, on stage: ChaosStage
    ) {
        self.accounts = accounts
        self.pause = pause
        staying = doomed
        database = stage.database
        providers = stage.stack.control
    }

    /// Makes accounts with three devices on every route and begins to commit one job after each `pause`.
    static func start(
        on stage: ChaosStage, name: String, _ kind: Kind = .losingPhones, every pause: Duration = .milliseconds(50)
    ) async throws -> HintLoad {
        let accounts = try await stage.makeAccounts(name)
        let doomed =
            kind == .keepingPhones
            ? [] : stage.routes.indices.flatMap { route in accounts.map { $0.devices[$0.devices.count - 1 - route] } }
        let load = HintLoad(accounts, doomed: doomed, every: pause, on: stage)
        await load.begin()
        return load
    }

    private func begin() { task = Task { await commitRepeatedly() } }

    private func commitRepeatedly() async {
        var number = 0
        while !Task.isCancelled {
            // One that fails while the database is away comes again.
            if (try? await accounts[number % accounts.count].commit(1, in: database)) != nil { number += 1 }
            if number % Self.commitsBetweenLosses == 0 { await loseOne() }
            try? await Task.sleep(for: pause)
        }
    }

    private func loseOne() async {
        guard let device = staying.last else { return }
        // Noted before: a call that ends with the load may have been carried out.
        gone.insert(device.id)
        if (try? await providers.unregister(token: device.token)) != nil { staying.removeLast() }
    }

    /// Commits that many jobs of every account at once, so that many rows are under way together.
    nonisolated func burst(_ jobs: Int) async throws {
        for account in accounts { try await account.commit(jobs, in: database) }
    }

    func stop() async {
        task?.cancel()
        await task?.value
    }

    /// How many hints one job for each account makes.
    nonisolated var hintsOfOneJobEach: Int { accounts.reduce(0) { $0 + $1.devices.count } }

    /// Devices on the routes that `isMeant` picks.
    nonisolated func devicesOfRoutes(_ isMeant: (Route) -> Bool) -> [Identifier] {
        accounts.flatMap(\.devices).filter { isMeant($0.route) }.map(\.id)
    }

    /// Whose token that is.
    nonisolated var devices: [String: Identifier] {
        Dictionary(accounts.flatMap(\.devices).map { ($0.token, $0.id) }) { first, _ in first }
    }
}
