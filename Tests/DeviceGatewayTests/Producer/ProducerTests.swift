import Cryptography
import Daemon
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage
import Testing

@testable import DeviceGateway

@Suite(.serialized, .timeLimit(.minutes(2))) struct ProducerTests {
    @Test func `a job is committed once however often it is sent`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let draft = Draft(devices: [phone.id])
            let path = "/v1/producer/jobs/\(Identifier.random())"
            #expect(await desk.produce("PUT", path, draft.encoded()).status == 202)
            #expect(await desk.produce("PUT", path, draft.encoded()).status == 202)
            #expect(try await desk.world.count("SELECT count(*) FROM delivery.generation_job") == 1)
            let other = Draft(devices: [phone.id])
            #expect(await desk.produce("PUT", path, other.encoded()).problemName == "job-conflict")
        }
    }

    @Test func `a stale device set is told what is missing`() async throws {
        try await withDesk { desk in
            let first = try await desk.world.enrol()
            let second = try await desk.world.enrol()
            let draft = Draft(version: 1, devices: [first.id])
            let answer = await desk.produce("PUT", "/v1/producer/jobs/\(Identifier.random())", draft.encoded())
            #expect(answer.status == 409 && answer.problemName == "stale-device-set")
            let set = try JSONReader(answer.body).object("deviceSet")
            #expect(try set.integer("version") == 2)
            #expect(try set.strings("missing") == [second.id.description])
        }
    }

    @Test func `rules of a commit are 422 and a missing account 404`() async throws {
        try await withDesk { desk in
            let path = "/v1/producer/jobs/\(Identifier.random())"
            let unknown = Draft(devices: [.random()])
            #expect(await desk.produce("PUT", path, unknown.encoded()).problemName == "unknown-account")
            let phone = try await desk.world.enrol()
            let odd = Draft(devices: [phone.id], documentType: "NOVEL")
            #expect(await desk.produce("PUT", path, odd.encoded()).problemName == "invalid-job")
        }
    }

    @Test(arguments: [("RECEIPT", 202), ("CREDIT_NOTE", 202), ("INVOICE", 422), ("receipt", 422)])
    func `R-12: receipts and credit notes are committed, anything else is refused`(type: String, status: UInt16)
        async throws
    {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let draft = Draft(devices: [phone.id], documentType: type)
            let job = Identifier.random()
            #expect(await desk.produce("PUT", "/v1/producer/jobs/\(job)", draft.encoded()).status == status)
            let fetched = await desk.call(phone, "GET", "/v1/jobs/\(job)")
            #expect(fetched.status == (status == 202 ? 200 : 404))
            if status == 202 { #expect(try DeviceAPIJob(decoding: fetched.body).documentType.rawValue == type) }
        }
    }

    @Test func `a credential may do what its scopes say`() async throws {
        try await withDesk { desk in
            let job = Identifier.random()
            func ask(_ token: String?, _ method: String, _ path: String) async -> Response {
                let headers: Headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
                return await desk.answer(Request(method: method, target: "/v1/producer/\(path)", headers: headers))
            }
            #expect(await ask(nil, "GET", "jobs/\(job)").status == 401)
            #expect(await ask("wrong", "GET", "jobs/\(job)").status == 401)
            #expect(await ask("reader-secret", "GET", "jobs/\(job)").status == 404)
            #expect(await ask("reader-secret", "POST", "jobs/\(job)/cancel").problemName == "forbidden")
            #expect(await ask(Desk.secret, "POST", "jobs/\(job)/cancel").status == 404)
        }
    }

    @Test func `a status tells a job's story`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(1)
            let grant = try await desk.world.acquire(phones[0], job)
            _ = try await desk.world.submit(phones[0], job, grant)
            let status = try JSONReader(await desk.produce("GET", "/v1/producer/jobs/\(job)").body)
            #expect(try status.string("state") == "open")
            #expect(try status.string("fanout") == "done")
            #expect(try status.array("devices").first?["hint"]?.string == "no_token")
            #expect(try status.array("leaseEvents").compactMap { $0["kind"]?.string } == ["granted", "submitted"])
        }
    }

    @Test func `a cancelled job announces it once`() async throws {
        try await withDesk { desk in
            _ = try await desk.world.enrol()
            let job = try await desk.world.commit()
            for _ in 0..<2 {
                #expect(await desk.produce("POST", "/v1/producer/jobs/\(job)/cancel").status == 202)
            }
            let events = try await desk.world.count(
                "SELECT count(*) FROM delivery.event_outbox WHERE type = 'job.cancelled.v1'")
            #expect(events == 1)
        }
    }

    @Test func `a revoked device is sealed to no longer`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            for _ in 0..<2 {
                #expect(await desk.produce("DELETE", "/v1/producer/devices/\(phone.id)").status == 204)
            }
            let devices = try JSONReader(
                await desk.produce("GET", "/v1/producer/accounts/account-1/devices").body)
            #expect(try devices.array("devices").isEmpty)
            #expect(try devices.integer("deviceSetVersion") == 2)
            let events = try await desk.world.count(
                "SELECT count(*) FROM delivery.event_outbox WHERE type = 'device.revoked.v1'")
            #expect(events == 1)
            #expect(await desk.produce("DELETE", "/v1/producer/devices/\(Identifier.random())").status == 404)
        }
    }

    @Test(arguments: [
        "{}", #"{"credentials":[{"name":"a","sha256":"00","scopes":[]}]}"#,
        #"{"credentials":[{"name":"a","sha256":"\#(String(repeating: "0", count: 64))","scopes":["everything"]}]}"#,
    ])
    func `a bad credentials file is refused`(json: String) {
        #expect(throws: MessageError.self) { try ProducerCredentials(json: Array(json.utf8)) }
    }
}
