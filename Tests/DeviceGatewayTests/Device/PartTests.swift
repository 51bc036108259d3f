import Cryptography
import Daemon
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage
import Testing

@testable import DeviceGateway

/// b.2.6: submissions that are too large for one request.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PartTests {
    private func put(
        _ desk: Desk, _ phone: Phone, _ job: Identifier, _ grant: World.Grant, _ recipient: String, _ bytes: [UInt8]
    ) async -> Response {
        let part = DeviceAPIPart(nonce: grant.nonce ?? .random(), ciphertext: bytes)
        return await desk.call(
            phone, "PUT", "/v1/jobs/\(job)/fanout/\(grant.epoch ?? 0)/parts/\(recipient)", part.encoded())
    }

    private func submit(
        _ desk: Desk, _ phone: Phone, _ job: Identifier, _ grant: World.Grant, all: [String: [UInt8]],
        here: [String: [UInt8]] = [:]
    ) async -> Response {
        let body = DeviceAPISubmission(
            nonce: grant.nonce ?? .random(), digest: Digest.blake2b(DeviceAPISubmission.digestInput(all)),
            ciphertexts: here)
        return await desk.call(phone, "PUT", "/v1/jobs/\(job)/fanout/\(grant.epoch ?? 0)", body.encoded())
    }

    private func elected(_ desk: Desk, _ recipients: [String]) async throws -> (Phone, Identifier, World.Grant) {
        let phone = try await desk.world.enrol()
        let job = try await desk.world.commit(recipients: recipients)
        try await desk.world.claim(phone, job)
        return (phone, job, try await desk.world.acquire(phone, job))
    }

    @Test func `the largest submission there is goes up in parts, and its replay is one`() async throws {
        try await withDesk { desk in
            let recipients = (0..<64).map { "recipient-\($0)" }
            let (phone, job, grant) = try await elected(desk, recipients)
            var all: [String: [UInt8]] = [:]
            for recipient in recipients {
                all[recipient] = RandomBytes.make(262_144)
                #expect(await put(desk, phone, job, grant, recipient, all[recipient] ?? []).status == 204)
            }
            #expect(await submit(desk, phone, job, grant, all: all).status == 201)
            #expect(await submit(desk, phone, job, grant, all: all).status == 200)
            let sizes = try await desk.world.count(
                "SELECT sum(octet_length(ciphertext)) FROM delivery.downstream_ciphertext WHERE job_id = \(job)")
            #expect(sizes == 64 * 262_144)
            #expect(try await desk.world.count("SELECT count(*) FROM delivery.fanout_part") == 0)
        }
    }

    @Test func `parts and what comes with the submission are one whole`() async throws {
        try await withDesk { desk in
            let (phone, job, grant) = try await elected(desk, ["a", "b"])
            let all: [String: [UInt8]] = ["a": [1, 2], "b": [3]]
            #expect(await put(desk, phone, job, grant, "a", [1, 2]).status == 204)
            #expect(await submit(desk, phone, job, grant, all: all, here: ["b": [3]]).status == 201)
        }
    }

    @Test func `a part may be repeated and never changes`() async throws {
        try await withDesk { desk in
            let (phone, job, grant) = try await elected(desk, ["a"])
            #expect(await put(desk, phone, job, grant, "a", [1]).status == 204)
            #expect(await put(desk, phone, job, grant, "a", [1]).status == 204)
            #expect(await put(desk, phone, job, grant, "a", [2]).problemName == "submission-mismatch")
            #expect(await submit(desk, phone, job, grant, all: ["a": [2]]).problemName == "submission-mismatch")
            #expect(await submit(desk, phone, job, grant, all: ["a": [1]]).status == 201)
        }
    }

    @Test func `without all its parts there is no submission`() async throws {
        try await withDesk { desk in
            let (phone, job, grant) = try await elected(desk, ["a", "b"])
            #expect(await put(desk, phone, job, grant, "a", [1]).status == 204)
            #expect(await submit(desk, phone, job, grant, all: ["a": [1]]).problemName == "recipients-mismatch")
            #expect(await put(desk, phone, job, grant, "c", [1]).problemName == "recipients-mismatch")
        }
    }

    @Test func `parts of an older epoch are fenced and do not count`() async throws {
        try await withDesk { desk in
            let (phone, job, old) = try await elected(desk, ["a"])
            #expect(await put(desk, phone, job, old, "a", [1]).status == 204)
            try await desk.world.expire(job)
            let new = try await desk.world.acquire(phone, job)
            #expect(new.epoch == 2)
            #expect(await put(desk, phone, job, old, "a", [1]).problemName == "fanout-fenced")
            #expect(await submit(desk, phone, job, new, all: ["a": [1]]).problemName == "submission-mismatch")
            #expect(await put(desk, phone, job, new, "a", [2]).status == 204)
            #expect(await submit(desk, phone, job, new, all: ["a": [2]]).status == 201)
        }
    }

    @Test func `a part prolongs the lease that it belongs to`() async throws {
        try await withDesk { desk in
            let (phone, job, grant) = try await elected(desk, ["a", "b"])
            try await desk.world.administrator.execute(
                "UPDATE delivery.fanout_lease SET expires_at = clock_timestamp() + interval '20 seconds'")
            #expect(await put(desk, phone, job, grant, "a", [1]).status == 204)
            let left = try await desk.world.count(
                "SELECT extract(epoch FROM expires_at - clock_timestamp())::bigint FROM delivery.fanout_lease")
            #expect(left > 60)
        }
    }

    @Test func `a part that is too large is refused`() async throws {
        try await withDesk { desk in
            let (phone, job, grant) = try await elected(desk, ["a"])
            let answer = await put(desk, phone, job, grant, "a", [UInt8](repeating: 0, count: 262_145))
            #expect(answer.problemName == "too-large")
        }
    }
}
