import Daemon
import Glibc
import LocalStack
import Postgres

/// `dead replay` as a process, killed on its way.
struct Replayer {
    let stage: ChaosStage

    /// One life of a replayer, by the database's clock.
    struct Segment {
        let from: Timestamp
        let to: Timestamp
        let wasKilled: Bool
    }

    /// Kills it `kills` times, each after another equal share of `total`, and lets the last one end by itself. `counter` is
    /// that of the audit which tells how far it came.
    func run(_ filter: [String], counter: String, of total: Int, kills: Int) async throws -> [Segment] {
        let before = try await count(counter)
        var segments: [Segment] = []
        for number in 1...(kills + 1) {
            let from = try await stage.now()
            let process = try start(["dead", "replay"] + filter + ["--yes"])
            let target = before + total * number / (kills + 1)
            if number <= kills {
                let isThere = try await stage.comesTrue(within: .seconds(600)) {
                    if !process.identity.isRunning { return true }
                    return try await count(counter) >= target
                }
                guard isThere else { throw CommandFailure(.temporary, "the replayer stands still: \(process.log)") }
                let wasKilled = process.identity.isRunning
                process.signal(SIGKILL)
                _ = await process.ended(within: .seconds(10))
                segments.append(Segment(from: from, to: try await stage.now(), wasKilled: wasKilled))
            } else {
                let end = await process.ended(within: .seconds(600))
                guard end == .exited(0) else {
                    throw CommandFailure(.temporary, "the last replayer ended with \(end as Any): \(process.log)")
                }
                segments.append(Segment(from: from, to: try await stage.now(), wasKilled: false))
            }
        }
        return segments
    }

    /// Takes the copies of what was replayed out of the dead-letter queues.
    func sweep() async throws {
        let process = try start(["dead", "sweep"])
        let end = await process.ended(within: .seconds(600))
        guard end == .exited(0) else {
            throw CommandFailure(.temporary, "dead sweep ended with \(end as Any): \(process.log)")
        }
    }

    private func start(_ arguments: [String]) throws -> ChildProcess {
        let site = stage.stack.site
        var environment = site.commonEnvironment
        environment["DATABASE_URL"] = site.databaseURL(as: "md_operator")
        environment["AMQP_URL"] = site.amqpURL(as: "operator")
        environment["MOBILE_DELIVERY_OPERATOR"] = "chaos"
        let program = site.programs.mobileDelivery
        return try ChildProcess(
            "replayer", ProcessCommand(program, arguments, environment: environment),
            logPath: "\(site.folder)/replayer-\(UInt64.random(in: .min ... .max)).log")
    }

    private func count(_ counter: String) async throws -> Int {
        let row = try await stage.database.query(
            """
            SELECT coalesce(sum((detail ->> \(counter))::bigint), 0)::bigint AS n FROM delivery.audit
             WHERE action = 'dead replay'
            """
        ).one()
        return Int(try row["n"] as Int64)
    }

    /// Letters a second in each life that had five batches or more, from its first batch to its last.
    func rates(of segments: [Segment], limit: Int) async throws -> [Double] {
        var rates: [Double] = []
        let batch = max(1, limit / 10)
        for segment in segments {
            let row = try await stage.database.query(
                """
                SELECT count(*) AS n, coalesce(extract(epoch FROM max(state_at) - min(state_at)), 0)::float8 AS seconds
                  FROM delivery.dead_letter
                 WHERE state = 'replayed' AND entry IS NOT NULL AND state_at BETWEEN \(segment.from) AND \(segment.to)
                """
            ).one()
            let letters = Int(try row["n"] as Int64)
            let seconds: Double = try row["seconds"]
            if letters >= 5 * batch { rates.append(Double(letters - batch) / seconds) }
        }
        return rates
    }
}
