import Cryptography
import Daemon
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage
import Testing

@testable import DeviceGateway

/// Decision 7: refused before it is published, and never after.
@Suite(.serialized, .timeLimit(.minutes(2))) struct AckTests {
    private let body = DeviceAPIAck(origin: .hint, receiptEvidence: RandomBytes.make(32), clientSequence: 4)

    @Test func `an ack is 202 after the confirm and carries what the phone said`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(1)
            #expect(await desk.call(phones[0], "POST", "/v1/jobs/\(job)/ack", body.encoded()).status == 202)
            let ack = try #require(desk.acks.all.first)
            #expect(ack.job == job && ack.device == phones[0].id && ack.result == .acknowledged)
            #expect(ack.evidence == body.receiptEvidence && ack.clientSequence == 4 && ack.origin == .hint)
        }
    }

    @Test func `without the confirm it is 503 and to be tried again`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(1)
            desk.acks.refuse()
            let answer = await desk.call(phones[0], "POST", "/v1/jobs/\(job)/ack", body.encoded())
            #expect(answer.status == 503 && answer.headers["retry-after"] == "2")
        }
    }

    @Test func `an unknown job's ack is not published`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let answer = await desk.call(phone, "POST", "/v1/jobs/\(Identifier.random())/ack", body.encoded())
            #expect(answer.status == 404 && desk.acks.all.isEmpty)
        }
    }

    @Test func `a revoked device's ack is not published`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(1)
            _ = await desk.produce("DELETE", "/v1/producer/devices/\(phones[0].id)")
            let answer = await desk.call(phones[0], "POST", "/v1/jobs/\(job)/ack", body.encoded())
            #expect(answer.status == 401 && desk.acks.all.isEmpty)
        }
    }

    @Test func `R-09: the elected device submits or releases before it acknowledges`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(2)
            let grant = try await desk.world.acquire(phones[0], job)
            let early = await desk.call(phones[0], "POST", "/v1/jobs/\(job)/ack", body.encoded())
            #expect(early.status == 409 && early.problem?.kind == .fanoutOutstanding)
            #expect(await desk.call(phones[1], "POST", "/v1/jobs/\(job)/ack", body.encoded()).status == 202)
            _ = try await desk.world.release(phones[0], job, grant)
            #expect(await desk.call(phones[0], "POST", "/v1/jobs/\(job)/ack", body.encoded()).status == 202)
        }
    }

    @Test func `an expired lease does not block the ack`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(1)
            _ = try await desk.world.acquire(phones[0], job)
            try await desk.world.expire(job)
            #expect(await desk.call(phones[0], "POST", "/v1/jobs/\(job)/ack", body.encoded()).status == 202)
        }
    }

    @Test func `a nack carries its reason and unknown reasons are refused`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(1)
            let nack = DeviceAPINack(origin: .foreground, reason: "cannot-decrypt", clientSequence: 5)
            #expect(await desk.call(phones[0], "POST", "/v1/jobs/\(job)/nack", nack.encoded()).status == 202)
            #expect(desk.acks.all.map(\.reason) == ["cannot-decrypt"] && desk.acks.all.map(\.result) == [.failed])
            let odd = DeviceAPINack(origin: .foreground, reason: "mood", clientSequence: 6)
            #expect(await desk.call(phones[0], "POST", "/v1/jobs/\(job)/nack", odd.encoded()).status == 400)
        }
    }
}
