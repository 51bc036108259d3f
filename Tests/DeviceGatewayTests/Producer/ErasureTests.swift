import Daemon
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage
import Testing

@testable import DeviceGateway

@Suite(.serialized, .timeLimit(.minutes(2))) struct ErasureTests {
    private func range(_ from: Int64, _ until: Int64, key: String = "author-1", account: String? = nil) -> [UInt8] {
        JSONWriter.object {
            $0.member("signingKeyId", key)
            $0.member("from", from)
            $0.member("until", until)
            $0.member("account", account)
        }
    }

    /// What the coordinator does after a revocation and a cancellation.
    private func coordinate(_ world: World) async throws {
        try await world.administrator.execute("SELECT delivery.finish_cancellations(NULL, interval '0', 100)")
        for _ in 0..<3 {
            try await world.administrator.execute("SELECT delivery.finish_revocation(NULL, interval '0', 100)")
        }
    }

    /// A device with a token, a job with a hint, a claim, an ack's evidence and a dead letter.
    private func life(_ desk: Desk) async throws -> (phone: Phone, job: Identifier) {
        let phone = try await desk.world.enrol()
        let wish = DeviceAPIPushToken(
            provider: .apns, environment: "production", app: "cheqi", kind: .token,
            token: String(repeating: "ab", count: 32), registration: 1)
        #expect(await desk.call(phone, "PUT", "/v1/devices/me/push-token", wish.encoded()).status == 204)
        let job = try await desk.world.commit()
        try await desk.world.claim(phone, job)
        try await desk.world.administrator.execute(
            "UPDATE delivery.job_device SET evidence = sha256('x') WHERE job_id = \(job)")
        try await desk.world.administrator.execute(
            """
            INSERT INTO delivery.dead_letter (queue, message_id, reason, job_id, device_id, entry, entry_created_at)
            SELECT 'hints.apns.production.cheqi.dead', entry::text, 'token', job_id, device_id, entry, entry_created_at
              FROM delivery.job_device WHERE job_id = \(job)
            """)
        return (phone, job)
    }

    @Test func `a range cancels an author's jobs of that time and no others, once`() async throws {
        try await withDesk { desk in
            _ = try await desk.world.enrol()
            let before = try await desk.world.commit()
            try await desk.world.administrator.execute(
                "UPDATE delivery.generation_job SET created_at = now() - interval '1 hour' WHERE job_id = \(before)")
            let jobs = [try await desk.world.commit(), try await desk.world.commit()]
            let now = Instant.now()
            func cancel(_ body: [UInt8]) async throws -> (Int, Bool) {
                let answer = await desk.produce("POST", "/v1/producer/jobs/cancel", body)
                #expect(answer.status == 200, "\(answer.text)")
                let reader = try JSONReader(answer.body)
                return (try reader.int("cancelled"), try reader.bool("more", default: true))
            }
            #expect(try await cancel(range(now - 60_000, now + 60_000, key: "author-2")) == (0, false))
            #expect(try await cancel(range(now - 60_000, now + 60_000, account: "other")) == (0, false))
            #expect(try await cancel(range(now - 60_000, now + 60_000, account: "account-1")) == (2, false))
            #expect(try await cancel(range(now - 60_000, now + 60_000)) == (0, false))
            let cancelled = try await desk.world.administrator.query(
                "SELECT job_id FROM delivery.generation_job WHERE cancelled_at IS NOT NULL"
            ).map { try $0.get("job_id", as: Identifier.self) }
            #expect(Set(cancelled) == Set(jobs))
            let events = try await desk.world.count(
                "SELECT count(*) FROM delivery.event_outbox WHERE type = 'job.cancelled.v1'")
            #expect(events == 2)
        }
    }

    @Test func `a range larger than a call says that there is more`() async throws {
        try await withDesk { desk in
            _ = try await desk.world.enrol()
            for _ in 0..<3 { _ = try await desk.world.commit() }
            let statement: Statement = """
                SELECT cancelled, more FROM delivery.cancel_jobs(\("author-1"), now() - interval '1 hour',
                    now() + interval '1 hour', NULL, 2, \("test"))
                """
            let first = try await desk.world.gateway.query(statement).one()
            #expect(try first.get("cancelled", as: Int32.self) == 2 && first.get("more", as: Bool.self))
            let second = try await desk.world.gateway.query(statement).one()
            #expect(try second.get("cancelled", as: Int32.self) == 1 && !second.get("more", as: Bool.self))
        }
    }

    @Test(arguments: ["{}", #"{"signingKeyId":"a","from":5,"until":4}"#, #"{"signingKeyId":"a b","from":1,"until":4}"#])
    func `a range that is none is refused`(body: String) async throws {
        try await withDesk { desk in
            #expect(await desk.produce("POST", "/v1/producer/jobs/cancel", Array(body.utf8)).status == 400)
        }
    }

    @Test func `an erased device leaves nothing but its bare row`() async throws {
        try await withDesk { desk in
            let (phone, job) = try await life(desk)
            let path = "/v1/producer/devices/\(phone.id)/data"
            let first = await desk.produce("DELETE", path)
            #expect(first.status == 202 && first.headers["retry-after"] == "1")
            // At once, whatever is under way.
            #expect(try await desk.world.count("SELECT count(*) FROM delivery.push_token") == 0)
            let kept = try await desk.world.count(
                "SELECT count(*) FROM delivery.job_device WHERE num_nonnulls(sealed_key, evidence) > 0")
            #expect(kept == 0)
            #expect(await desk.call(phone, "GET", "/v1/jobs/\(job)").problemName == "device-revoked")
            try await coordinate(desk.world)
            #expect(await desk.produce("DELETE", path).status == 204)
            #expect(await desk.produce("DELETE", path).status == 204)
            for table in ["device_key", "push_outbox", "dead_letter"] {
                let left = try await desk.world.count(
                    "SELECT count(*) FROM delivery.\(unescaped: table)")
                #expect(left == 0, "\(table)")
            }
            #expect(await desk.call(phone, "GET", "/v1/jobs/\(job)").problemName == "device-revoked")
            #expect(await desk.produce("GET", "/v1/producer/jobs/\(job)").status == 200)
            let audited = try await desk.world.count(
                "SELECT count(*) FROM delivery.audit WHERE action = 'device.erase'")
            #expect(audited == 1)
            let unknown = await desk.produce("DELETE", "/v1/producer/devices/\(Identifier.random())/data")
            #expect(unknown.status == 404)
        }
    }

    @Test func `another device's part of a job stays`() async throws {
        try await withDesk { desk in
            let phones = [try await desk.world.enrol(), try await desk.world.enrol()]
            let job = try await desk.world.commit()
            _ = await desk.produce("DELETE", "/v1/producer/devices/\(phones[0].id)/data")
            try await coordinate(desk.world)
            #expect(await desk.produce("DELETE", "/v1/producer/devices/\(phones[0].id)/data").status == 204)
            #expect(await desk.call(phones[1], "GET", "/v1/jobs/\(job)").status == 200)
            #expect(try await desk.world.count("SELECT count(*) FROM delivery.push_outbox") == 1)
        }
    }

    @Test func `an erased account leaves nothing, and another account everything`() async throws {
        try await withDesk { desk in
            let (phone, job) = try await life(desk)
            let other = try await desk.world.enrol("other")
            let othersJob = try await desk.world.commit("other")
            let path = "/v1/producer/accounts/account-1/data"
            #expect(await desk.produce("DELETE", path).status == 202)
            try await coordinate(desk.world)
            #expect(await desk.produce("DELETE", path).status == 204)
            #expect(await desk.produce("DELETE", path).status == 204)
            #expect(await desk.produce("GET", "/v1/producer/jobs/\(job)").status == 404)
            #expect(await desk.produce("GET", "/v1/producer/accounts/account-1/devices").status == 404)
            #expect(await desk.call(other, "GET", "/v1/jobs/\(othersJob)").status == 200)
            let tables = [
                "account", "device", "device_key", "generation_job", "job_body", "job_device", "fanout_lease",
                "push_outbox",
            ]
            for table in tables {
                let left = try await desk.world.count(
                    "SELECT count(*) FROM delivery.\(unescaped: table)")
                #expect(left == 1, "\(table)")
            }
            for table in ["push_token", "dead_letter", "lease_event", "lease_attempt"] {
                let left = try await desk.world.count(
                    "SELECT count(*) FROM delivery.\(unescaped: table)")
                #expect(left == 0, "\(table)")
            }
            #expect(await desk.call(phone, "GET", "/v1/sync").status == 401)
        }
    }

    @Test func `erasing needs its own scope`() async throws {
        try await withDesk { desk in
            let request = Request(
                method: "DELETE", target: "/v1/producer/accounts/a/data",
                headers: ["Authorization": "Bearer reader-secret"])
            #expect(await desk.answer(request).problemName == "forbidden")
        }
    }

    @Test func `a timeline tells what happened in its order`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(1)
            let grant = try await desk.world.acquire(phones[0], job)
            _ = try await desk.world.submit(phones[0], job, grant)
            _ = await desk.produce("POST", "/v1/producer/jobs/\(job)/cancel")
            let status = try JSONReader(await desk.produce("GET", "/v1/producer/jobs/\(job)").body)
            let timeline = try status.array("timeline")
            let words = timeline.compactMap { $0["what"]?.string }
            let expected = [
                "committed", "hint no_token", "claimed", "lease granted", "lease submitted", "submitted",
                "job cancelled",
            ]
            #expect(Set(words) == Set(expected) && words.first == "committed" && words.last == "job cancelled")
            let times = timeline.compactMap { $0["at"]?.integer }
            #expect(times == times.sorted() && times.count == words.count)
        }
    }
}
