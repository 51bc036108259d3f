import Cryptography
import Daemon
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage
import Testing

@testable import DeviceGateway

@Suite(.serialized, .timeLimit(.minutes(2))) struct JobTests {
    @Test func `a fetch brings what the device needs and counts the others`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let job = try await desk.world.commit()
            _ = try await desk.world.commit()
            let answer = await desk.call(phone, "GET", "/v1/jobs/\(job)")
            let fetched = try DeviceAPIJob(decoding: answer.body)
            #expect(fetched.job == job && fetched.state == .pending && fetched.fanout == .needed)
            #expect(fetched.pendingOthers == 1 && fetched.recipients == ["shop"])
            #expect(Digest.blake2b(fetched.body) == fetched.bodyDigest && fetched.sealedKey.count == 80)
        }
    }

    @Test func `a fetch changes nothing`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let job = try await desk.world.commit()
            _ = await desk.call(phone, "GET", "/v1/jobs/\(job)")
            #expect(try await desk.world.count("SELECT count(claimed_at) FROM delivery.job_device") == 0)
        }
    }

    @Test func `unknown and not assigned look the same to the byte`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            _ = try await desk.world.enrol("account-2")
            let foreign = try await desk.world.commit("account-2")
            for call in ["", "/claim"] {
                let method = call.isEmpty ? "GET" : "POST"
                let first = await desk.call(phone, method, "/v1/jobs/\(foreign)\(call)")
                let second = await desk.call(phone, method, "/v1/jobs/\(Identifier.random())\(call)")
                #expect(first == second && first.status == 404)
            }
        }
    }

    @Test func `R-15: a job is its assigned devices' alone, for every call`() async throws {
        try await withDesk { desk in
            let assigned = try await desk.world.enrol()
            let revoked = try await desk.world.enrol()
            let job = try await desk.world.commit()
            // Of the same account, but newer than the job; and of another account.
            let strangers = [try await desk.world.enrol(), try await desk.world.enrol("account-2")]
            _ = await desk.produce("DELETE", "/v1/producer/devices/\(revoked.id)")
            let ack = DeviceAPIAck(
                origin: .hint, receiptEvidence: [UInt8](repeating: 7, count: 32), clientSequence: 1
            ).encoded()
            let calls: [(method: String, path: String, body: [UInt8])] = [
                ("GET", "", []), ("POST", "/claim", []), ("POST", "/ack", ack),
                ("POST", "/fanout-lease", DeviceAPILeaseRequest(attemptID: .random()).encoded()),
            ]
            for call in calls {
                let path = "/v1/jobs/\(job)\(call.path)"
                for stranger in strangers {
                    let nobodys = "/v1/jobs/\(Identifier.random())\(call.path)"
                    let refused = await desk.call(stranger, call.method, path, call.body)
                    #expect(refused.status == 404)
                    #expect(refused == (await desk.call(stranger, call.method, nobodys, call.body)))
                }
                #expect(await desk.call(revoked, call.method, path, call.body).problemName == "device-revoked")
            }
            #expect(desk.acks.all.isEmpty)
            #expect(await desk.call(assigned, "GET", "/v1/jobs/\(job)").status == 200)
        }
    }

    @Test func `R-17: a repeated claim keeps the first time`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let job = try await desk.world.commit()
            let first = await desk.call(phone, "POST", "/v1/jobs/\(job)/claim")
            let second = await desk.call(phone, "POST", "/v1/jobs/\(job)/claim")
            #expect(first.status == 200 && first.body == second.body)
            #expect(try DeviceAPIClaim(decoding: first.body).fanout == .needed)
        }
    }

    @Test func `an acknowledged device may fetch while fan-out is open, and no longer`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(1)
            try await desk.world.administrator.execute("UPDATE delivery.job_device SET state = 'acknowledged'")
            #expect(await desk.call(phones[0], "GET", "/v1/jobs/\(job)").status == 200)
            let grant = try await desk.world.acquire(phones[0], job)
            _ = try await desk.world.submit(phones[0], job, grant)
            #expect(await desk.call(phones[0], "GET", "/v1/jobs/\(job)").problemName == "gone")
        }
    }

    @Test(arguments: ["expired_at = now()", "cancelled_at = now()", "expires_at = now()"])
    func `an ended job is gone`(change: String) async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let job = try await desk.world.commit()
            try await desk.world.administrator.execute("UPDATE delivery.generation_job SET \(unescaped: change)")
            #expect(await desk.call(phone, "GET", "/v1/jobs/\(job)").status == 410)
            #expect(await desk.call(phone, "POST", "/v1/jobs/\(job)/claim").status == 410)
        }
    }

    @Test func `an unchanged job is 304`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let job = try await desk.world.commit()
            let tag = await desk.call(phone, "GET", "/v1/jobs/\(job)").headers["etag"]
            let again = await desk.call(
                phone, "GET", "/v1/jobs/\(job)", headers: ["If-None-Match": try #require(tag)])
            #expect(again.status == 304 && again.body.isEmpty)
        }
    }

    @Test func `the lease over HTTP gives durations and the current epoch`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(2)
            let wish = DeviceAPILeaseRequest(attemptID: .random()).encoded()
            let path = "/v1/jobs/\(job)/fanout-lease"
            let granted = await desk.call(phones[0], "POST", path, wish)
            let lease = try DeviceAPILease(decoding: granted.body)
            #expect(lease.epoch == 1 && lease.ttlMilliseconds == 90_000)
            let held = await desk.call(
                phones[1], "POST", path, DeviceAPILeaseRequest(attemptID: .random()).encoded())
            #expect(held.status == 409 && held.problem?.kind == .fanoutHeld && held.problem?.retryable == true)
            #expect((89...93).contains(Int(held.headers["retry-after"] ?? "") ?? 0))
            let proof = DeviceAPILeaseProof(nonce: lease.nonce).encoded()
            #expect(await desk.call(phones[0], "PUT", "\(path)/1", proof).status == 200)
            #expect(await desk.call(phones[0], "DELETE", "\(path)/1", proof).status == 204)
            let fenced = await desk.call(phones[0], "PUT", "\(path)/1", proof)
            #expect(fenced.problem?.kind == .fanoutFenced && fenced.problem?.currentEpoch == 1)
        }
    }

    @Test func `a submission over HTTP is 201, its replay 200, another one 422`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(1)
            let grant = try await desk.world.acquire(phones[0], job)
            func submission(_ text: String) -> [UInt8] {
                let ciphertexts = ["shop": Array(text.utf8)]
                let digest = Digest.blake2b(DeviceAPISubmission.digestInput(ciphertexts))
                return DeviceAPISubmission(
                    nonce: grant.nonce ?? .random(), digest: digest, ciphertexts: ciphertexts
                ).encoded()
            }
            let path = "/v1/jobs/\(job)/fanout/1"
            #expect(await desk.call(phones[0], "PUT", path, submission("x")).status == 201)
            #expect(await desk.call(phones[0], "PUT", path, submission("x")).status == 200)
            #expect(await desk.call(phones[0], "PUT", path, submission("y")).problemName == "submission-mismatch")
        }
    }

    @Test func `a submission with a wrong digest is refused`() async throws {
        try await withDesk { desk in
            let (phones, job) = try await desk.world.elected(1)
            let wrong = DeviceAPISubmission(
                nonce: .random(), digest: RandomBytes.make(32), ciphertexts: ["shop": [1]])
            let answer = await desk.call(phones[0], "PUT", "/v1/jobs/\(job)/fanout/1", wrong.encoded())
            #expect(answer.status == 422 && answer.problemName == "submission-mismatch")
        }
    }
}
