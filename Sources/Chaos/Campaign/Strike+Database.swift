import LocalStack
import Postgres

/// Faults of PostgreSQL, of the way to it, and of what lies in it.
extension Strike {
    static let pooledConnections = 2

    func restartDatabase(after outage: Duration) async throws -> Felt {
        var restartsWithRowsInHand = 0
        for round in rounds {
            try await load.burst(50)
            if try await stage.comesTrue(within: .seconds(10), { try await stage.audit.heldRows() > 100 }) {
                restartsWithRowsInHand += 1
            }
            await stage.stopPostgres(immediately: round % 2 == 1)
            try await hold(outage)
            try await stage.startPostgres()
            // Until somebody is through again, so that every restart meets work.
            try await stage.database.check(within: .seconds(30))
            try await hold(.seconds(2))
        }
        return Felt(effects: ["restarts with rows in hand": restartsWithRowsInHand])
    }

    func killBehindBouncer() async throws -> Felt {
        var most = 0
        var claims = 0
        for round in rounds {
            try await hold(.seconds(1))
            let victim = await fleet.members[round % fleet.members.count]
            await fleet.kill(victim)
            try await fleet.replace(victim)
            claims += try await count("claimed_total{verdict=\"publish\"}", within: .seconds(20)) {}
            let row = try await stage.database.query(
                "SELECT count(*) AS n FROM pg_stat_activity WHERE usename = 'md_relay'"
            ).one()
            most = max(most, Int(try row["n"] as Int64))
        }
        return Felt(effects: [
            "claims through the pool": claims,
            "of two server connections for all relays": most <= Self.pooledConnections ? max(most, 1) : 0,
        ])
    }

    func announceTooLargeHeaders() async throws -> Felt {
        let headers = #"{"a":"\#(String(repeating: "x", count: 16_374))"}"#
        for number in rounds {
            try await stage.database.execute(
                """
                SELECT delivery.announce('events', 'job.completed', 'job.completed.v1', NULL, \(headers)::jsonb,
                                         '{"version": 1}', \(Int16(number % 64)))
                """)
        }
        var buried = 0
        _ = try await stage.comesTrue(within: .seconds(20)) {
            buried = Int(
                try await stage.database.query(
                    "SELECT count(*) AS n FROM delivery.dead_letter WHERE reason LIKE 'buried: the headers take%'"
                ).one().get("n", as: Int64.self))
            return buried >= rounds.count
        }
        return Felt(effects: ["events buried": buried >= rounds.count ? buried : 0])
    }
}
