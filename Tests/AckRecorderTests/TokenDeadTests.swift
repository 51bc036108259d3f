import Delivery
import Messages
import Postgres
import Testing

@Suite(.timeLimit(.minutes(2)))
struct TokenDeadTests {
    /// What FCM says, or APNs with a time after the registration.
    private func dead(_ scene: Scene, _ job: Identifier) async throws -> Outcome {
        try await scene.outcome(.tokenDead, job) {
            $0.status = scene.route.provider == .apns ? 410 : 404
            $0.reason = "Unregistered"
            if scene.route.provider == .apns { $0.providerTime = $0.registeredAt + 1 }
        }
    }

    @Test(arguments: [Scene.apns, Scene.fcm])
    func `R-23: a dead token is cleared and its entry fails (fault 11)`(route: Route) async throws {
        try await Scene.with(route: route) { scene in
            let job = try await scene.publishedJob()
            try await scene.record(dead(scene, job))
            let entry = try await scene.entry(job)
            #expect(entry.state == "failed")
            #expect(entry.reason == "token")
            #expect(!entry.hasDue)
            #expect(try await scene.token() == ("cleared", "dead"))
        }
    }

    @Test func `the dead letter is announced with the entry's id and without a token`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let outcome = try await dead(scene, job)
            try await scene.record(outcome)
            let event = try #require(try await scene.events("hint.dead.v1").first)
            #expect(event.exchange == "dead")
            #expect(event.routingKey == "hints.apns.dead")
            #expect(event.messageID == outcome.entry)
            #expect(event.headers.contains("\"md-seq\": 1"))
            #expect(event.headers.contains("\"md-reason\": \"token\""))
            #expect(event.headers.contains("\"md-key\": \"hints.apns.production.cheqi\""))
            let body = try DeadHint(decoding: event.body)
            #expect(
                body
                    == DeadHint(
                        entry: outcome.entry, seq: 1, life: 1, job: job, device: scene.device, route: scene.route,
                        reason: "token", status: 410, failures: 0))
        }
    }

    @Test func `a cleared token is announced (fault 12)`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(dead(scene, job))
            let event = try #require(try await scene.events("token.cleared.v1").first)
            #expect(event.exchange == "events")
            #expect(event.routingKey == "token.cleared")
            let body = try TokenCleared(decoding: event.body)
            #expect(body.device == scene.device)
            #expect(body.reason == "dead")
        }
    }

    @Test func `repeating it announces nothing again`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let outcome = try await dead(scene, job)
            try await scene.record([outcome, outcome])
            try await scene.record(outcome)
            #expect(try await scene.events("hint.dead.v1").count == 1)
            #expect(try await scene.events("token.cleared.v1").count == 1)
        }
    }

    @Test func `a token that was registered anew meanwhile is not touched and the entry goes on with it`() async throws
    {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let outcome = try await dead(scene, job)
            try await scene.world.execute("UPDATE delivery.due SET disputes = 2")
            try await scene.registerAnew(scene.device)
            try await scene.record(outcome)
            #expect(try await scene.token(registration: 2).state == "active")
            let entry = try await scene.entry(job)
            #expect(entry.state == "pending")
            #expect(entry.life == 2)
            #expect(entry.disputes == 0)
            #expect(entry.failures == 0)
            #expect(entry.isDueAtOnce)
        }
    }

    @Test func `the same token registered again is judged by its new registration`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let outcome = try await dead(scene, job)
            try await scene.world.execute(
                "UPDATE delivery.push_token SET registered_at = registered_at + interval '1 second'")
            try await scene.record(outcome)
            #expect(try await scene.token().state == "active")
            #expect(try await scene.entry(job).life == 2)
        }
    }

    @Test(arguments: [0, -1, -1_000_000] as [Int64])
    func `a time that is not later than the registration is charged and disputes (fault 13)`(difference: Int64)
        async throws
    {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(.tokenDead, job) { $0.providerTime = $0.registeredAt + difference })
            let entry = try await scene.entry(job)
            #expect(entry.state == "pending")
            #expect(entry.failures == 1)
            #expect(entry.disputes == 1)
            #expect(!entry.hasLease)
            #expect(try await scene.token().state == "active")
        }
    }

    @Test func `the third dispute ends the entry and keeps the token`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            for attempt in 1...3 {
                if attempt > 1 { try await scene.publish(job) }
                try await scene.record(scene.outcome(.tokenDead, job) { $0.providerTime = $0.registeredAt })
            }
            let entry = try await scene.entry(job)
            #expect(entry.state == "failed")
            #expect(entry.reason == "token_disputed")
            #expect(entry.failures == 3)
            #expect(try await scene.token().state == "active")
            #expect(try await scene.events("hint.dead.v1").count == 1)
            #expect(try await scene.events("token.cleared.v1").isEmpty)
        }
    }

    @Test func `APNs without a time disputes and clears nothing`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            try await scene.record(scene.outcome(.tokenDead, job))
            #expect(try await scene.token().state == "active")
            #expect(try await scene.entry(job).disputes == 1)
        }
    }

    @Test func `a dead token is cleared even when the entry has moved on`() async throws {
        try await Scene.with { scene in
            let job = try await scene.publishedJob()
            let outcome = try await dead(scene, job)
            try await scene.publish(job)
            try await scene.record(outcome)
            #expect(try await scene.token().state == "cleared")
            let entry = try await scene.entry(job)
            #expect(entry.state == "pending")
            #expect(entry.hasLease)
        }
    }
}
