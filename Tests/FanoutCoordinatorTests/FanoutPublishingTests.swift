import AMQP
import Daemon
import Delivery
import Messages
import Postgres
import Storage
import TestSupport
import Testing

@testable import FanoutCoordinator

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `Fan-out` {
    private func event(_ job: Identifier, _ fixture: CoordinatorFixture) -> [UInt8] {
        JobSubmitted(job: job, account: fixture.account.name, device: fixture.account.devices[0], at: 1).encoded()
    }

    /// Never looks by itself.
    private var deaf: Configuration {
        var configuration = CoordinatorFixture.configuration
        configuration.unrungAfter = .seconds(3600)
        return configuration
    }

    private func isFannedOut(_ job: Identifier, _ fixture: CoordinatorFixture) async throws -> Bool {
        try await fixture.value(
            "SELECT fanned_out_at IS NOT NULL FROM delivery.downstream_submission WHERE job_id = \(job)")
    }

    @Test func `follows its event with one message a recipient`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await fixture.submit(job)
            try await fixture.withCoordinator(deaf) {
                try await fixture.ring(.jobSubmitted, event(job, fixture))
                let messages = try await fixture.take(2)
                #expect(Set(messages.map(\.routingKey)) == ["RECEIPT.shop", "RECEIPT.tax"])
            }
        }
    }

    @Test func `carries what was handed in for that recipient`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit(recipients: ["shop"])
            try await fixture.submit(job)
            try await fixture.withCoordinator {
                let message = try #require(try await fixture.take(1).first)
                let content = try DownstreamMessage(decoding: message.body)
                #expect(content.ciphertext == Array("for shop".utf8))
                #expect(content.job == job && content.epoch == 1 && content.device == fixture.account.devices[0])
                #expect(message.type == "downstream.v1")
                #expect(message.messageID == Fanout.messageID(job: job, recipient: "shop").description)
            }
        }
    }

    @Test func `is found without its event`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await fixture.submit(job)
            try await fixture.withCoordinator {
                #expect(try await fixture.take(2).count == 2)
                try await becomes { try await isFannedOut(job, fixture) }
            }
        }
    }

    @Test func `without its event waits until it is old enough`() async throws {
        try await CoordinatorFixture.with { fixture in
            let young = try await fixture.commit()
            let old = try await fixture.commit()
            try await fixture.submit(young)
            try await fixture.submit(old, age: .seconds(31))
            var configuration = CoordinatorFixture.configuration
            configuration.unrungAfter = .seconds(30)
            try await fixture.withCoordinator(configuration) {
                try await becomes { try await isFannedOut(old, fixture) }
                #expect(try await isFannedOut(young, fixture) == false)
            }
        }
    }

    @Test func `completes the job whose devices are all through`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await fixture.setDevices(of: job, "acknowledged")
            try await fixture.submit(job)
            try await fixture.withCoordinator {
                try await becomes { try await fixture.text("completed_at", of: job) != nil }
            }
        }
    }

    @Test func `leaves a job open that waits for a device`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await fixture.submit(job)
            try await fixture.withCoordinator {
                try await becomes { try await isFannedOut(job, fixture) }
                #expect(try await fixture.text("completed_at", of: job) == nil)
            }
        }
    }

    @Test func `is published again whole under the same ids after a crash before its end was recorded`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await fixture.submit(job)
            // A coordinator that dies after its confirms: its statement is never made.
            try await fixture.database.execute(
                """
                CREATE OR REPLACE FUNCTION delivery.finish_fanout(finished_job uuid, published_for timestamptz)
                RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'crash' USING ERRCODE = '57P01'; END $$
                """)
            var configuration = CoordinatorFixture.configuration
            configuration.fanoutHold = .milliseconds(50)
            configuration.publishTimeout = .milliseconds(3000)
            try await fixture.withCoordinator(configuration) {
                let messages = try await fixture.take(4)
                let ids = Dictionary(grouping: messages.map(\.messageID), by: \.self)
                #expect(ids.count == 2)
                #expect(ids.values.allSatisfy { $0.count >= 2 })
            }
        }
    }

    @Test func `of two coordinators is published once`() async throws {
        try await CoordinatorFixture.with { fixture in
            var jobs: [Identifier] = []
            for _ in 0..<10 { jobs.append(try await fixture.commit()) }
            for job in jobs { try await fixture.submit(job) }
            try await fixture.withCoordinator {
                try await fixture.withCoordinator {
                    for job in jobs { try await fixture.ring(.jobSubmitted, event(job, fixture)) }
                    let ids = try await fixture.take(20).map(\.messageID)
                    #expect(ids.count == 20 && Set(ids).count == 20)
                }
            }
        }
    }

    @Test func `waits while an integrator's queue is full, and then ends`() async throws {
        try await CoordinatorFixture.with { fixture in
            let management = ManagementAPI(url: fixture.host.managementURL)
            let policy = "/api/policies/\(fixture.host.name)/full"
            try await management.put(
                policy,
                #"{"pattern":"^downstream\\.default$","apply-to":"queues","priority":9,"#
                    + #""definition":{"overflow":"reject-publish","max-length":1}}"#)
            // A queue learns of its policy, and publishers of a full queue, a little later.
            let filler = try await AMQP.Connection.open(try fixture.broker, name: "test")
            try await becomes {
                await filler.publish(
                    Message(exchange: "downstream", routingKey: "RECEIPT.filler", messageID: "0", type: "t", body: []),
                    deadline: .now + .seconds(5)) == .nacked
            }
            await filler.close()
            let job = try await fixture.commit()
            try await fixture.submit(job)
            try await fixture.withCoordinator {
                let unfinished = fixture.metrics.counter("coordinator_fanouts_unfinished_total", help: "")
                try await becomes { unfinished.value > 0 }
                #expect(try await isFannedOut(job, fixture) == false)
                try await management.delete(policy)
                try await becomes { try await isFannedOut(job, fixture) }
            }
            await management.close()
        }
    }

    @Test func `that is asked for again is sent with the same ids, and completion is untouched`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await fixture.submit(job)
            try await fixture.withCoordinator {
                let first = try await fixture.take(2).map(\.messageID)
                try await becomes { try await isFannedOut(job, fixture) }
                let stamp = "SELECT fanned_out_at::text FROM delivery.downstream_submission"
                let before: String = try await fixture.value("\(unescaped: stamp)")
                try await fixture.database.execute("UPDATE delivery.downstream_submission SET resend_at = now()")
                let second = try await fixture.take(2).map(\.messageID)
                #expect(Set(first) == Set(second))
                try await becomes {
                    try await fixture.count("resend_at IS NULL", in: "downstream_submission") == 1
                }
                let after: String = try await fixture.value("\(unescaped: stamp)")
                #expect(before == after)
            }
        }
    }

    @Test func `goes on after the job's expiry`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await fixture.setDevices(of: job, "acknowledged")
            try await fixture.submit(job)
            try await fixture.letExpire(job)
            try await fixture.withCoordinator {
                try await becomes { try await fixture.text("completed_at", of: job) != nil }
                #expect(try await fixture.text("expired_at", of: job) == nil)
            }
        }
    }
}
