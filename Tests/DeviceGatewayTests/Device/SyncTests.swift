import Daemon
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage
import TestSupport
import Testing

@testable import DeviceGateway

/// I-20: the pending set, whatever pages or tags say.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SyncTests {
    private func listing(_ desk: Desk, _ phone: Phone, _ query: String = "") async throws -> DeviceAPIListing {
        let answer = await desk.call(phone, "GET", "/v1/sync\(query)")
        try #require(answer.status == 200)
        return try DeviceAPIListing(decoding: answer.body)
    }

    @Test func `pages follow each other without a gap or a repetition`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            var jobs: [Identifier] = []
            for _ in 0..<5 { jobs.append(try await desk.world.commit()) }
            var seen: [Identifier] = []
            var next: String? = ""
            while let after = next {
                let page = try await listing(desk, phone, "?limit=2" + (after.isEmpty ? "" : "&after=\(after)"))
                #expect(page.jobs.count <= 2)
                seen += page.jobs.map(\.job)
                next = page.next
            }
            #expect(seen == jobs)
        }
    }

    @Test func `what is acknowledged, expired or another's is not listed`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            _ = try await desk.world.enrol("account-2")
            _ = try await desk.world.commit("account-2")
            let acknowledged = try await desk.world.commit(recipients: [])
            let expired = try await desk.world.commit()
            let open = try await desk.world.commit()
            try await desk.world.administrator.execute(
                "UPDATE delivery.job_device SET state = 'acknowledged' WHERE job_id = \(acknowledged)")
            try await desk.world.administrator.execute(
                "UPDATE delivery.generation_job SET expires_at = now() WHERE job_id = \(expired)")
            #expect(try await listing(desk, phone).jobs.map(\.job) == [open])
        }
    }

    /// Without it nobody would come back when the elected device dies after all others acknowledged (L-3).
    @Test func `an acknowledged job whose lease ended is listed again, also against a known tag`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(2)
            _ = try await desk.world.acquire(phones[0], job)
            try await desk.world.administrator.execute(
                "UPDATE delivery.job_device SET state = 'acknowledged' WHERE device_id = \(phones[1].id)")
            let quiet = await desk.call(phones[1], "GET", "/v1/sync")
            #expect(try DeviceAPIListing(decoding: quiet.body).jobs.isEmpty)
            try await desk.world.expire(job)
            let tag = try #require(quiet.headers["etag"])
            let again = await desk.call(phones[1], "GET", "/v1/sync", headers: ["If-None-Match": tag])
            let listed = try DeviceAPIListing(decoding: again.body).jobs
            #expect(listed.map(\.job) == [job] && listed.first?.fanoutNeeded == true)
            #expect(listed.first?.state == .acknowledged)
        }
    }

    /// What push needs is gone, to the last row; the broker was never asked.
    @Test func `R-02, R-58: without any hint a listing and a fetch are what they were`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let job = try await desk.world.commit()
            _ = try await desk.world.commit()
            let (listing, fetch) = (
                await desk.call(phone, "GET", "/v1/sync"), await desk.call(phone, "GET", "/v1/jobs/\(job)")
            )
            #expect(listing.status == 200 && fetch.status == 200)
            for table in ["due", "push_outbox", "event_outbox", "push_token"] {
                try await desk.world.administrator.execute("DELETE FROM delivery.\(unescaped: table)")
            }
            #expect(await desk.call(phone, "GET", "/v1/sync") == listing)
            #expect(await desk.call(phone, "GET", "/v1/jobs/\(job)") == fetch)
        }
    }

    @Test func `an unchanged set is 304 and a new job is not`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            _ = try await desk.world.commit()
            let tag = try #require(await desk.call(phone, "GET", "/v1/sync").headers["etag"])
            let same = await desk.call(phone, "GET", "/v1/sync", headers: ["If-None-Match": "\"x\", \(tag)"])
            #expect(same.status == 200 || same.status == 304)
            let exact = await desk.call(phone, "GET", "/v1/sync", headers: ["If-None-Match": tag])
            #expect(exact.status == 304 && exact.headers["etag"] == tag && exact.body.isEmpty)
            _ = try await desk.world.commit()
            #expect(await desk.call(phone, "GET", "/v1/sync", headers: ["If-None-Match": tag]).status == 200)
        }
    }

    @Test func `a bad position starts anew and a bad limit is refused`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            #expect(await desk.call(phone, "GET", "/v1/sync?after=x").problemName == "cursor-expired")
            #expect(await desk.call(phone, "GET", "/v1/sync?limit=0").problemName == "bad-request")
            #expect(await desk.call(phone, "GET", "/v1/sync?limit=201").problemName == "bad-request")
        }
    }

    @Test func `a wait without a tag is answered at once, with one when the set changes`() async throws {
        try await withDesk({ $0.waitInterval = .milliseconds(20) }) { desk in
            let phone = try await desk.world.enrol()
            let first = await desk.call(phone, "GET", "/v1/sync/wait")
            let tag = try #require(first.headers["etag"])
            #expect(first.status == 200 && first.text.contains(#""jobs":[]"#))
            async let waiting = desk.call(phone, "GET", "/v1/sync/wait", headers: ["If-None-Match": tag])
            #expect(try await eventually { await desk.front.device.room.isOccupied })
            let job = try await desk.world.commit()
            let second = await waiting
            #expect(second.status == 200 && second.text.contains("\(job)") && second.headers["etag"] != tag)
        }
    }

    @Test func `a wait that is over is 204 with the same tag`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let tag = try #require(await desk.call(phone, "GET", "/v1/sync").headers["etag"])
            let began = ContinuousClock.now
            let answer = await desk.call(phone, "GET", "/v1/sync/wait?timeout=1", headers: ["If-None-Match": tag])
            #expect(answer.status == 204 && answer.headers["etag"] == tag && answer.body.isEmpty)
            #expect(began.duration(to: .now) > .milliseconds(900))
            #expect(await desk.call(phone, "GET", "/v1/sync/wait?timeout=61").problemName == "bad-request")
        }
    }

    @Test func `a newer wait ends the older, and a gateway that ends ends all`() async throws {
        try await withDesk({ $0.waiters = 1 }) { desk in
            let phone = try await desk.world.enrol()
            let tag = try #require(await desk.call(phone, "GET", "/v1/sync").headers["etag"])
            async let older = desk.call(phone, "GET", "/v1/sync/wait", headers: ["If-None-Match": tag])
            #expect(try await eventually { await desk.front.device.room.isOccupied })
            async let newer = desk.call(phone, "GET", "/v1/sync/wait", headers: ["If-None-Match": tag])
            #expect(await older.status == 204)
            let another = try await desk.world.enrol("other")
            let othersTag = try #require(await desk.call(another, "GET", "/v1/sync").headers["etag"])
            let full = await desk.call(another, "GET", "/v1/sync/wait", headers: ["If-None-Match": othersTag])
            #expect(full.status == 503 && full.headers["retry-after"] == "5")
            await desk.front.device.room.close()
            #expect(await newer.status == 204)
        }
    }

    @Test func `a wait ends when its device is revoked`() async throws {
        try await withDesk({ $0.waitInterval = .milliseconds(20) }) { desk in
            let phone = try await desk.world.enrol()
            let tag = try #require(await desk.call(phone, "GET", "/v1/sync").headers["etag"])
            async let waiting = desk.call(phone, "GET", "/v1/sync/wait", headers: ["If-None-Match": tag])
            #expect(try await eventually { await desk.front.device.room.isOccupied })
            _ = await desk.produce("DELETE", "/v1/producer/devices/\(phone.id)")
            #expect(await waiting.problemName == "device-revoked")
        }
    }
}
