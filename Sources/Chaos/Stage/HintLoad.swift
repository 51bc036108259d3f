import Delivery
import LocalStack
import Postgres

/// Commits small jobs one after the other while a fault strikes, so that every step of a publish is always taken by
/// somebody.
actor HintLoad {
    nonisolated let accounts: [TokenAccount]
    nonisolated private let database: Database
    private var task: Task<Void, Never>?

    private static let pause = Duration.milliseconds(50)

    private init(_ accounts: [TokenAccount], _ database: Database) {
        self.accounts = accounts
        self.database = database
    }

    /// Makes accounts with a device on every route and begins to commit.
    static func start(on stage: ChaosStage, name: String) async throws -> HintLoad {
        var accounts: [TokenAccount] = []
        for number in 0..<4 {
            accounts.append(
                try await TokenAccount.make(
                    "\(name)-\(number)", routes: stage.routes + stage.routes, on: stage.stack, in: stage.database))
        }
        let load = HintLoad(accounts, stage.database)
        await load.begin()
        return load
    }

    private func begin() { task = Task { await commitRepeatedly() } }

    private func commitRepeatedly() async {
        var number = 0
        while !Task.isCancelled {
            // One that fails while the database is away comes again.
            if (try? await accounts[number % accounts.count].commit(1, in: database)) != nil { number += 1 }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Commits that many jobs of every account at once, so that many rows are under way together.
    nonisolated func burst(_ jobs: Int) async throws {
        for account in accounts { try await account.commit(jobs, in: database) }
    }

    func stop() async {
        task?.cancel()
        await task?.value
    }

    /// Whose token that is.
    nonisolated var devices: [String: Identifier] {
        Dictionary(accounts.flatMap(\.devices).map { ($0.token, $0.id) }) { first, _ in first }
    }
}
