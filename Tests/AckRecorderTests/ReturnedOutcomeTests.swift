import Delivery
import Messages
import Postgres
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ReturnedOutcomeTests {
    @Test(arguments: [OutcomeKind.returnedLate, .returnedPaused, .returnedStopping])
    func `what was never sent is due at once and not charged`(kind: OutcomeKind) async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(kind, job) { $0.pause = "key" })
            let entry = try await scene.entry(job)
            #expect(entry.isDueAtOnce)
            #expect(entry.failures == 0)
            #expect(entry.seq == 1)
        }
    }

    @Test(arguments: [(nil, 2), (7, 7), (100_000, 3600)] as [(Int?, Int)])
    func `what was provably not processed waits 2 s or as asked`(asked: Int?, seconds: Int) async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.world.execute("UPDATE delivery.generation_job SET expires_at = now() + interval '1 day'")
            try await scene.record(scene.outcome(.returnedUnprocessed, job) { $0.retryAfter = asked })
            let entry = try await scene.entry(job)
            #expect(entry.failures == 0)
            #expect(entry.wait! <= .seconds(seconds) && entry.wait! > .seconds(seconds) - .seconds(2))
        }
    }

    private func seen(_ scene: Scene) async throws -> (paused: Bool, reason: String?, instance: String?, probed: Bool) {
        let row = try await scene.world.query(
            """
            SELECT seen_paused, seen_reason, seen_instance, seen_probe_at IS NOT NULL AS probed
              FROM delivery.route_state WHERE provider = 'apns'
            """
        ).one()
        return (try row["seen_paused"], try row["seen_reason"], try row["seen_instance"], try row["probed"])
    }

    @Test func `a paused route is seen paused until something is accepted`() async throws {
        try await Scene.with(devices: 2) { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(.returnedPaused, job) { $0.pause = "key" }, instance: "sender-7")
            let paused = try await seen(scene)
            #expect(paused == (true, "key", "sender-7", false))
            try await scene.record(
                scene.outcome(.returnedPaused, job) {
                    $0.pause = "key"
                    $0.probe = true
                })
            #expect(try await seen(scene).probed)
            try await scene.record(scene.outcome(.accepted, job, device: scene.devices[1]))
            let running = try await seen(scene)
            #expect(!running.paused)
            #expect(running.reason == nil)
        }
    }

    @Test func `a remembered acceptance says nothing about the route now`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(.returnedPaused, job) { $0.pause = "key" })
            try await scene.record(scene.outcome(.accepted, job) { $0.remembered = true })
            #expect(try await seen(scene).paused)
            #expect(try await scene.entry(job).state == "accepted")
            let answers: Int = try await scene.world.query(
                "SELECT coalesce(sum(answers), 0)::bigint AS n FROM delivery.route_window"
            ).one()["n"]
            #expect(answers == 0)
        }
    }

    @Test func `the hand's half is never touched`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.world.execute("UPDATE delivery.route_state SET hand_paused = true, hand_by = 'me'")
            try await scene.record(scene.outcome(.accepted, job))
            let byHand: Bool = try await scene.world.query(
                "SELECT hand_paused FROM delivery.route_state WHERE provider = 'apns'"
            ).one()["hand_paused"]
            #expect(byHand)
        }
    }

    @Test func `answers are counted by route and instance, returns are not answers`() async throws {
        try await Scene.with(devices: 4) { scene in
            let job = try await scene.publishedJob()
            let devices = scene.devices
            try await scene.record([
                scene.outcome(.accepted, job, device: devices[0]),
                scene.outcome(.tokenSuspect, job, device: devices[1]),
                scene.outcome(.deferred, job, device: devices[2]),
                scene.outcome(.returnedLate, job, device: devices[3]),
            ])
            let row = try await scene.world.query(
                """
                SELECT instance, sum(answers)::bigint AS answers, sum(acceptances)::bigint AS acceptances,
                       sum(suspicions)::bigint AS suspicions
                  FROM delivery.route_window GROUP BY instance
                """
            ).one()
            #expect(try row.get("instance", as: String.self) == "sender-1")
            #expect(try row.get("answers", as: Int.self) == 3)
            #expect(try row.get("acceptances", as: Int.self) == 1)
            #expect(try row.get("suspicions", as: Int.self) == 1)
        }
    }
}
