import AMQP
import Cryptography
import Delivery
import HTTPClient
import HTTPServer
import LocalStack
import Messages
import Postgres
import Storage
import TestSupport
import Testing

@testable import DeviceGateway

/// I-15 with real servers: every call that changes something, sent through three gateways at once, every answer lost, and
/// sent through each of them again.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ReplayTests {
    private static let producer: HTTPServer.Headers = [
        "Authorization": "Bearer \(Desk.secret)", "Content-Type": "application/json",
    ]

    @Test func `R-17, R-60: a claim replayed through several gateways is one claim`() async throws {
        try await LossyGateways.with { gateways in
            let phone = try await gateways.world.enrol()
            let job = try await gateways.world.commit()
            let answers = try await gateways.replayed { phone.signedForWire($0, "POST", "/v1/jobs/\(job)/claim") }
            #expect(answers.allSatisfy { $0.status == 200 && $0.body == answers[0].body })
            let claimed = try await gateways.world.count(
                "SELECT count(*) FROM delivery.job_device WHERE claimed_at IS NOT NULL")
            #expect(claimed == 1)
        }
    }

    @Test func `R-60: a lease asked for again and again is one grant`() async throws {
        try await LossyGateways.with { gateways in
            let (phones, job) = try await gateways.world.elected(2)
            let wish = DeviceAPILeaseRequest(attemptID: .random()).encoded()
            let answers = try await gateways.replayed {
                phones[0].signedForWire($0, "POST", "/v1/jobs/\(job)/fanout-lease", wish)
            }
            let leases = try answers.map { try DeviceAPILease(decoding: $0.body) }
            #expect(leases.allSatisfy { $0.epoch == 1 && $0.nonce == leases[0].nonce })
            #expect(try await gateways.world.events(job) == ["granted 1"])
        }
    }

    @Test func `R-60: a submission replayed through several gateways is one submission and one event`() async throws {
        try await LossyGateways.with { gateways in
            let (phones, job) = try await gateways.world.elected(1)
            let grant = try await gateways.world.acquire(phones[0], job)
            let ciphertexts = ["shop": RandomBytes.make(5_000)]
            let submission = DeviceAPISubmission(
                nonce: try #require(grant.nonce), digest: Digest.blake2b(DeviceAPISubmission.digestInput(ciphertexts)),
                ciphertexts: ciphertexts
            ).encoded()
            let answers = try await gateways.replayed {
                phones[0].signedForWire($0, "PUT", "/v1/jobs/\(job)/fanout/1", submission)
            }
            #expect(answers.map(\.status) == [200, 200, 200])
            #expect(try await gateways.world.events(job) == ["granted 1", "submitted 1"])
            let events = try await gateways.world.count(
                "SELECT count(*) FROM delivery.event_outbox WHERE type = 'job.submitted.v1'")
            #expect(events == 1)
        }
    }

    @Test func `R-60: an ack replayed through several gateways is recorded once and completes its job once`()
        async throws
    {
        try await LossyGateways.with { gateways in
            let phone = try await gateways.world.enrol()
            let job = try await gateways.world.commit(recipients: [])
            try await gateways.world.claim(phone, job)
            let ack = DeviceAPIAck(
                origin: .hint, receiptEvidence: [UInt8](repeating: 7, count: 32), clientSequence: 1
            ).encoded()
            let answers = try await gateways.replayed { phone.signedForWire($0, "POST", "/v1/jobs/\(job)/ack", ack) }
            #expect(answers.map(\.status) == [202, 202, 202])
            try await withRecorder(gateways) {
                let isComplete = try await eventually {
                    try await gateways.world.count(
                        """
                        SELECT count(*) FROM delivery.generation_job JOIN delivery.job_device USING (job_id)
                         WHERE completed_at IS NOT NULL AND state = 'acknowledged'
                        """) == 1
                }
                #expect(isComplete)
                // Every copy has to be settled before anybody counts.
                #expect(try await eventually { try await unsettled(gateways) == 0 })
                let events = try await gateways.world.count(
                    "SELECT count(*) FROM delivery.event_outbox WHERE type = 'job.completed.v1'")
                #expect(events == 1)
            }
        }
    }

    @Test func `R-60: a revocation replayed through several gateways is one, and the device is out at all of them`()
        async throws
    {
        try await LossyGateways.with { gateways in
            let phone = try await gateways.world.enrol()
            let job = try await gateways.world.commit()
            // Every gateway knows its key by now.
            for way in gateways.ways {
                #expect(try await way.send(phone.signedForWire(way.url, "GET", "/v1/jobs/\(job)")).status == 200)
            }
            let answers = try await gateways.replayed { _ in
                Request(method: "DELETE", target: "/v1/producer/devices/\(phone.id)", headers: Self.producer, body: [])
            }
            #expect(answers.map(\.status) == [204, 204, 204])
            for way in gateways.ways {
                let refused = try await way.send(phone.signedForWire(way.url, "GET", "/v1/jobs/\(job)"))
                #expect(refused.status == 403 || refused.status == 401)
            }
            let events = try await gateways.world.count(
                "SELECT count(*) FROM delivery.event_outbox WHERE type = 'device.revoked.v1'")
            #expect(events == 1)
        }
    }

    @Test func `R-60: a commit replayed through several gateways is one job with one hint a device`() async throws {
        try await LossyGateways.with { gateways in
            let phone = try await gateways.world.enrol()
            let draft = Draft(devices: [phone.id]).encoded()
            let job = Identifier.random()
            let answers = try await gateways.replayed { _ in
                Request(method: "PUT", target: "/v1/producer/jobs/\(job)", headers: Self.producer, body: draft)
            }
            #expect(answers.map(\.status) == [202, 202, 202])
            for table in ["generation_job", "job_device", "push_outbox", "fanout_lease"] {
                #expect(try await gateways.world.count("SELECT count(*) FROM delivery.\(unescaped: table)") == 1)
            }
        }
    }

    private func unsettled(_ gateways: LossyGateways) async throws -> Int {
        let connection = try await AMQP.Connection.open(AMQP.ConnectionSettings(url: gateways.brokerURL), name: "test")
        let counts = try await connection.counts(of: "recorder.acks")
        await connection.close()
        return counts?.ready ?? -1
    }
}
