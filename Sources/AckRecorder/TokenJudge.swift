import Daemon
import Delivery
import Postgres
import Storage

/// Judges set-aside tokens when their time has come; any number of recorders may, each takes what no other holds.
struct TokenJudge: Service {
    let database: Database
    let configuration: Configuration
    let metrics: Metrics

    var name: String { "token judge" }

    func run() async throws {
        while await Shutdown.current.sleep(for: configuration.judgeInterval) {
            guard await database.isConnected else { continue }
            do {
                try await look()
            } catch {
                // Whatever it is, the next round tries again; the database has a condition of its own.
                Log.warning("tokens could not be judged", [.cause: .string("\(error)")])
            }
        }
    }

    /// Judges all that are due, a handful a transaction.
    func look() async throws {
        while try await judge(upTo: 100) > 0 {}
        try await count()
        try await database.execute("SELECT delivery.purge_route_windows(\(configuration.windowLife))")
    }

    private func judge(upTo limit: Int) async throws -> Int {
        let (session, failed) = try await database.transaction(within: configuration.databaseDeadline) { transaction in
            let rows = try await transaction.query(
                "SELECT * FROM delivery.take_suspects(\(Int32(limit)), \(configuration.window))")
            var session = JudgementSession(configuration.judgement)
            for row in rows { session.add(try Suspect(row)) }
            guard session.count > 0 else { return (session, 0) }
            let failed: Int = try await transaction.query(session.statement(trial: configuration.trial)).one().only()
            return (session, failed)
        }
        report(session, failed: failed)
        return session.count
    }

    private func report(_ session: JudgementSession, failed: Int) {
        if !session.cleared.isEmpty {
            metrics.counter(
                "mobile_delivery_recorder_suspects_cleared_total", help: "Suspected tokens that were cleared."
            ).add(session.cleared.count)
            Log.info("suspected tokens cleared", [.count: .count(session.cleared.count), .failed: .count(failed)])
        }
        for (route, kept) in session.keptByRoute {
            metrics.counter(
                "mobile_delivery_recorder_suspects_kept_total",
                help: "Suspected tokens that nothing proves bad: look at the route's topic, key and environment."
            ).add(kept)
            Log.error(
                "tokens stay set aside: look at the route's topic, key and environment",
                [.route: .count(route), .count: .count(kept)])
        }
    }

    /// How many are set aside now.
    private func count() async throws(PostgresError) {
        let row = try await database.query(
            "SELECT count(*) AS n FROM delivery.push_token WHERE state = 'set_aside'"
        ).one()
        metrics.gauge("mobile_delivery_recorder_tokens_aside", help: "Tokens set aside now.").set(
            try row.get("n", as: Int.self))
    }
}

extension LogKey {
    fileprivate static let failed: LogKey = "failed"
}
