import Delivery
import LocalStack
import Postgres
import Storage

/// A whole stack without phones, with accounts of tokens that the simulated providers know.
struct PipelineSite {
    let stack: Stack
    let database: Database
    let accounts: [TokenAccount]

    static let accountCount = 64
    private static let settings = [
        // The providers' own limits are not what is measured.
        "MOBILE_DELIVERY_FCM_QUOTA": "100000000", "MOBILE_DELIVERY_FCM_RAMP": "0s",
    ]

    /// Every service but the relay runs. Each account has that many devices, in turn on APNs and on FCM.
    static func with<Result: Sendable>(
        _ servers: Servers, _ programs: Programs, name: String, devices: Int,
        _ body: (PipelineSite) async throws -> Result
    ) async throws -> Result {
        let stack = try await Stack.start(
            StackSite(servers, programs, name: name),
            [.apnsSender, .fcmSender, .coordinator, .ackRecorder, .gateway], settings: settings, tapping: [])
        do {
            let database = Database(try ConnectionSettings(url: stack.site.databaseURL), connections: 2)
            let routes = (0..<devices).map { $0 % 2 == 0 ? apns : fcm }
            var accounts: [TokenAccount] = []
            for number in 0..<accountCount {
                accounts.append(
                    try await TokenAccount.make("bench-\(number)", routes: routes, on: stack, in: database))
            }
            let result = try await body(PipelineSite(stack: stack, database: database, accounts: accounts))
            await database.close()
            await stack.stop()
            return result
        } catch {
            await stack.stop()
            throw error
        }
    }

    /// Of the app that the simulator makes.
    static let apns = Route(provider: .apns, environment: "production", app: "cheqi")
    static let fcm = Route(provider: .fcm, environment: "", app: "cheqi")

    /// Commits at least `jobs`, the same number for each account, and returns how many hints that made.
    func commit(_ jobs: Int) async throws -> Int {
        let chunk = 50
        var left = (jobs + accounts.count - 1) / accounts.count
        let hints = left * accounts.reduce(0) { $0 + $1.devices.count }
        while left > 0 {
            for account in accounts {
                try Task.checkCancellation()
                try await account.commit(min(chunk, left), in: database)
            }
            left -= min(chunk, left)
        }
        return hints
    }

    /// Waits until no hint is due any more, at most for `limit` without one that ends.
    func waitUntilRecorded(within limit: Duration = .seconds(30)) async throws {
        var last: Int64 = .max
        var progress = ContinuousClock.now
        while true {
            try await Task.sleep(for: .milliseconds(50))
            let isDone: Bool = try await database.query(
                "SELECT NOT EXISTS (SELECT FROM delivery.due WHERE route > 0) AS d"
            ).one()["d"]
            if isDone { return }
            guard ContinuousClock.now - progress > .seconds(2) else { continue }
            let left: Int64 = try await database.query("SELECT count(*) AS n FROM delivery.due WHERE route > 0").one()[
                "n"]
            if left < last {
                last = left
                progress = .now
            } else if ContinuousClock.now - progress > limit {
                throw Unusable(
                    "\(left) hints do not end: \(await stack.lastWords().joined(separator: "\n"))")
            }
        }
    }

    /// Seconds from `since` to the last outcome recorded, once all `hints` committed since then were accepted.
    func seconds(from since: Timestamp, hints: Int) async throws -> Double {
        let row = try await database.query(
            """
            SELECT count(*) FILTER (WHERE state = 'accepted') AS accepted, count(*) AS hints,
                   extract(epoch FROM max(finished_at) - \(since))::float8 AS seconds
              FROM delivery.push_outbox WHERE finished_at >= \(since)
            """, within: .seconds(60)
        ).one()
        let accepted: Int64 = try row["accepted"]
        guard accepted == hints, try row["hints"] as Int64 == hints else {
            throw Unusable("\(accepted) of \(hints) hints were accepted")
        }
        return try row["seconds"]
    }

    /// The database's clock.
    func now() async throws -> Timestamp {
        try await database.query("SELECT clock_timestamp() AS now").one()["now"]
    }
}
