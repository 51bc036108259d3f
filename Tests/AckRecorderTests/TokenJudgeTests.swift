import Delivery
import Messages
import Postgres
import Testing

@testable import AckRecorder

@Suite(.timeLimit(.minutes(2)))
struct TokenJudgeTests {
    private func suspect(_ scene: Scene, _ job: Identifier, _ device: Identifier? = nil) async throws {
        try await scene.record(
            scene.outcome(.tokenSuspect, job, device: device) {
                $0.status = 400
                $0.reason = "BadDeviceToken"
            })
    }

    /// Makes every judgement due, as if the suspicion were old.
    private func letTimePass(_ scene: Scene) async throws {
        try await scene.world.execute(
            """
            UPDATE delivery.push_token SET judge_at = now(), suspected_at = now() - interval '10 minutes'
             WHERE state = 'set_aside'
            """)
    }

    /// What the route, by one sender, answered since.
    private func answered(
        _ scene: Scene, _ instance: String, answers: Int, acceptances: Int, suspicions: Int
    ) async throws {
        try await scene.world.execute(
            """
            INSERT INTO delivery.route_window AS w
            SELECT route, \(instance), date_trunc('minute', now()), \(answers), \(acceptances), \(suspicions)
              FROM delivery.route_state WHERE provider = 'apns'
            ON CONFLICT (route, instance, minute) DO UPDATE
               SET answers = w.answers + excluded.answers, acceptances = w.acceptances + excluded.acceptances,
                   suspicions = w.suspicions + excluded.suspicions
            """)
    }

    @Test func `a suspected token is set aside and its entry waits for the judgement, not charged (fault 10)`()
        async throws
    {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await suspect(scene, job)
            #expect(try await scene.token() == ("set_aside", "BadDeviceToken"))
            let entry = try await scene.entry(job)
            #expect(entry.failures == 0)
            #expect(entry.state == "pending")
            #expect(!entry.hasLease)
            #expect(entry.wait! > .seconds(115) && entry.wait! <= .seconds(120))
            let by: String = try await scene.world.query("SELECT suspected_by FROM delivery.push_token").one().only()
            #expect(by == "sender-1")
        }
    }

    @Test func `a suspicion of another registration sets nothing aside`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(.tokenSuspect, job) { $0.registeredAt -= 1 })
            #expect(try await scene.token().state == "active")
            let entry = try await scene.entry(job)
            #expect(entry.life == 2)
            #expect(entry.isDueAtOnce)
        }
    }

    @Test func `it is cleared when route and sender accepted something since, and its entry fails`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await suspect(scene, job)
            try await letTimePass(scene)
            try await answered(scene, "sender-1", answers: 1, acceptances: 1, suspicions: 0)
            try await scene.judge.look()
            #expect(try await scene.token() == ("cleared", "suspect"))
            let entry = try await scene.entry(job)
            #expect(entry.state == "failed")
            #expect(entry.reason == "token")
            let letter = try #require(try await scene.events("hint.dead.v1").first)
            #expect(try DeadHint(decoding: letter.body).reason == "token")
            #expect(try await scene.events("token.cleared.v1").count == 1)
        }
    }

    @Test func `another entry of a cleared token is left to the relay`() async throws {
        try await Scene.with { scene in
            let first = try await scene.publishedJob()
            let second = try await scene.publishedJob()
            try await suspect(scene, first)
            try await letTimePass(scene)
            try await answered(scene, "sender-1", answers: 1, acceptances: 1, suspicions: 0)
            try await scene.judge.look()
            #expect(try await scene.entry(second).state == "pending")
        }
    }

    @Test func `acceptances of another sender alone do not clear it`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await suspect(scene, job)
            try await letTimePass(scene)
            try await answered(scene, "sender-2", answers: 100, acceptances: 100, suspicions: 0)
            try await scene.judge.look()
            #expect(try await scene.token().state == "set_aside")
            #expect(try await scene.entry(job).state == "pending")
        }
    }

    @Test func `when half of the answers are suspicions nothing is cleared (fault 6)`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await suspect(scene, job)
            try await letTimePass(scene)
            try await answered(scene, "sender-1", answers: 100, acceptances: 50, suspicions: 50)
            try await scene.judge.look()
            #expect(try await scene.token().state == "set_aside")
        }
    }

    @Test func `acceptances from before the suspicion do not count`() async throws {
        try await Scene.with(devices: 2) { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(.accepted, job, device: scene.devices[1]))
            try await suspect(scene, job)
            try await scene.world.execute("UPDATE delivery.push_token SET judge_at = now() WHERE state = 'set_aside'")
            try await scene.judge.look()
            #expect(try await scene.token().state == "set_aside")
        }
    }

    @Test func `a kept token gets a trial of one entry at its second judgement`() async throws {
        try await Scene.with { scene in
            let first = try await scene.publishedJob()
            let second = try await scene.publishedJob()
            try await suspect(scene, first)
            try await suspect(scene, second)
            try await letTimePass(scene)
            try await scene.judge.look()
            #expect(try await isTried(scene) == false)
            try await letTimePass(scene)
            try await scene.judge.look()
            #expect(try await isTried(scene))
            let due = try await [scene.entry(first), scene.entry(second)].filter(\.isDueAtOnce)
            #expect(due.count == 1)
        }
    }

    private func isTried(_ scene: Scene, _ device: Identifier? = nil) async throws -> Bool {
        try await scene.world.query(
            "SELECT trial_until > now() IS TRUE AS tried FROM delivery.push_token WHERE device_id = \(device ?? scene.device)"
        ).one()["tried"]
    }

    @Test func `a refused trial leaves the token aside until its next judgement`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await suspect(scene, job)
            for _ in 1...2 {
                try await letTimePass(scene)
                try await scene.judge.look()
            }
            try await scene.publish(job)
            try await suspect(scene, job)
            #expect(try await scene.token().state == "set_aside")
            #expect(try await isTried(scene) == false)
            let entry = try await scene.entry(job)
            #expect(entry.failures == 0)
            #expect(entry.wait! > .seconds(200) && entry.wait! <= .seconds(240))
        }
    }

    @Test func `one accepted trial lifts all of the route and their entries are due at once`() async throws {
        try await Scene.with(devices: 3) { scene in
            let job = try await scene.publishedJob()
            for device in scene.devices { try await suspect(scene, job, device) }
            try await scene.publish(job)
            try await scene.world.execute(
                """
                UPDATE delivery.due SET lease_token = NULL, published_at = NULL, lease_until = NULL
                 WHERE entry <> (SELECT entry FROM delivery.job_device WHERE device_id = \(scene.device))
                """)
            try await scene.record(scene.outcome(.accepted, job))
            for device in scene.devices { #expect(try await scene.token(device).state == "active") }
            for device in scene.devices.dropFirst() {
                #expect(try await scene.entry(job, device: device).isDueAtOnce)
            }
        }
    }

    @Test func `an acceptance of another token lifts nothing`() async throws {
        try await Scene.with(devices: 2) { scene in
            let job = try await scene.publishedJob()
            try await suspect(scene, job)
            try await scene.record(scene.outcome(.accepted, job, device: scene.devices[1]))
            #expect(try await scene.token().state == "set_aside")
        }
    }

    @Test func `up to nine tokens of a route are tried at a time`() async throws {
        try await Scene.with(devices: 12) { scene in
            let job = try await scene.publishedJob()
            for device in scene.devices { try await suspect(scene, job, device) }
            for _ in 1...2 {
                try await letTimePass(scene)
                try await scene.judge.look()
            }
            let tried: Int = try await scene.world.query(
                "SELECT count(*) AS n FROM delivery.push_token WHERE trial_until > now()"
            ).one()["n"]
            #expect(tried == 9)
        }
    }

    @Test func `what another recorder is judging is skipped`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await suspect(scene, job)
            try await letTimePass(scene)
            try await scene.world.transaction { other in
                _ = try await other.query("SELECT * FROM delivery.take_suspects(100, interval '1 minute')")
                try await scene.judge.look()
            }
            let trials: Int = try await scene.world.query("SELECT trials FROM delivery.push_token").one()["trials"]
            #expect(trials == 0)
        }
    }
}
