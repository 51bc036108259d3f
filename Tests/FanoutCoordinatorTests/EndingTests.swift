import Delivery
import Messages
import Postgres
import Storage
import TestSupport
import Testing

@testable import FanoutCoordinator

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `A job past its expiry` {
    @Test func `ends its pending devices, their entries and the due rows`() async throws {
        try await CoordinatorFixture.with { fixture in
            try await fixture.account.addToken(
                to: fixture.account.devices[0], route: CoordinatorFixture.route, in: fixture.database)
            let job = try await fixture.commit(recipients: [])
            try await fixture.letExpire(job)
            try await fixture.withCoordinator {
                try await becomes { try await fixture.count("state = 'expired'", in: "job_device") == 2 }
                #expect(try await fixture.count("state = 'expired'", in: "push_outbox") == 1)
                #expect(try await fixture.count("route > 0", in: "due") == 0)
            }
        }
    }

    @Test func `keeps the counters of its entries`() async throws {
        try await CoordinatorFixture.with { fixture in
            try await fixture.account.addToken(
                to: fixture.account.devices[0], route: CoordinatorFixture.route, in: fixture.database)
            let job = try await fixture.commit(recipients: [])
            try await fixture.database.execute("UPDATE delivery.due SET seq = 5, failures = 3, life = 2")
            try await fixture.letExpire(job)
            try await fixture.withCoordinator {
                try await becomes {
                    try await fixture.count("seq = 5 AND failures = 3 AND life = 2", in: "push_outbox") == 1
                }
            }
        }
    }

    @Test func `expires, with an event and a closed lease, if nobody handed in its fan-out`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit()
            try await fixture.setDevices(of: job, "acknowledged")
            try await fixture.letExpire(job)
            try await fixture.withCoordinator {
                try await becomes { try await fixture.text("expired_at", of: job) != nil }
                #expect(try await fixture.count("state = 'closed'", in: "fanout_lease") == 1)
                #expect(try await fixture.count("kind = 'closed'", in: "lease_event") == 1)
                let body: [UInt8] = try await fixture.value(
                    "SELECT body FROM delivery.event_outbox WHERE type = 'job.expired.v1'")
                #expect(try JobExpired(decoding: body).job == job)
            }
        }
    }

    @Test func `completes if no fan-out was needed`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit(recipients: [])
            try await fixture.letExpire(job)
            try await fixture.withCoordinator {
                try await becomes { try await fixture.text("completed_at", of: job) != nil }
                #expect(try await fixture.count("type = 'job.completed.v1'", in: "event_outbox") == 1)
            }
        }
    }

    @Test func `ends once with two coordinators`() async throws {
        try await CoordinatorFixture.with { fixture in
            for _ in 0..<20 { try await fixture.letExpire(try await fixture.commit()) }
            try await fixture.withCoordinator {
                try await fixture.withCoordinator {
                    try await becomes {
                        try await fixture.count("expired_at IS NOT NULL", in: "generation_job") == 20
                    }
                    #expect(try await fixture.count("type = 'job.expired.v1'", in: "event_outbox") == 20)
                }
            }
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `A cancelled job` {
    private func cancel(_ job: Identifier, _ fixture: CoordinatorFixture) async throws {
        try await fixture.database.execute(
            "UPDATE delivery.generation_job SET cancelled_at = now() WHERE job_id = \(job)")
    }

    @Test(arguments: [true, false])
    func `ends its devices, entries and lease, with its event or without`(rings: Bool) async throws {
        try await CoordinatorFixture.with { fixture in
            try await fixture.account.addToken(
                to: fixture.account.devices[0], route: CoordinatorFixture.route, in: fixture.database)
            let job = try await fixture.commit()
            try await cancel(job, fixture)
            var configuration = CoordinatorFixture.configuration
            if rings { configuration.unrungAfter = .seconds(3600) }
            try await fixture.withCoordinator(configuration) {
                if rings {
                    try await fixture.ring(.jobCancelled, JobCancelled(job: job, account: "a", at: 1).encoded())
                }
                try await becomes { try await fixture.text("cancellation_done_at", of: job) != nil }
                #expect(try await fixture.count("state = 'cancelled'", in: "job_device") == 2)
                #expect(try await fixture.count("state = 'cancelled'", in: "push_outbox") == 1)
                #expect(try await fixture.count("state = 'closed'", in: "fanout_lease") == 1)
                #expect(try await fixture.count("route > 0", in: "due") == 0)
            }
        }
    }

    @Test func `never completes`() async throws {
        try await CoordinatorFixture.with { fixture in
            let job = try await fixture.commit(recipients: [])
            try await cancel(job, fixture)
            try await fixture.withCoordinator {
                try await becomes { try await fixture.text("cancellation_done_at", of: job) != nil }
                #expect(try await fixture.text("completed_at", of: job) == nil)
            }
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `A revoked device` {
    private func revoke(_ device: Identifier, _ fixture: CoordinatorFixture) async throws {
        try await fixture.database.execute(
            "UPDATE delivery.device SET state = 'revoked', revoked_at = now() WHERE device_id = \(device)")
    }

    private func isDone(_ fixture: CoordinatorFixture) async throws -> Bool {
        try await fixture.count("revocation_done_at IS NOT NULL", in: "device") == 1
    }

    @Test(arguments: [true, false])
    func `loses its jobs, keys, entries and tokens, with its event or without`(rings: Bool) async throws {
        try await CoordinatorFixture.with { fixture in
            let device = fixture.account.devices[0]
            try await fixture.account.addToken(to: device, route: CoordinatorFixture.route, in: fixture.database)
            _ = try await fixture.commit()
            try await revoke(device, fixture)
            var configuration = CoordinatorFixture.configuration
            if rings { configuration.unrungAfter = .seconds(3600) }
            try await fixture.withCoordinator(configuration) {
                if rings {
                    try await fixture.ring(.deviceRevoked, DeviceRevoked(account: "a", device: device, at: 1).encoded())
                }
                try await becomes { try await isDone(fixture) }
                #expect(
                    try await fixture.count("state = 'revoked' AND sealed_key IS NULL", in: "job_device") == 1)
                #expect(try await fixture.count("state = 'cancelled'", in: "push_outbox") == 1)
                #expect(try await fixture.count("state = 'detached'", in: "push_token") == 1)
                #expect(try await fixture.count("route > 0", in: "due") == 0)
            }
        }
    }

    @Test func `gives up the lease it holds, and the epoch stays`() async throws {
        try await CoordinatorFixture.with { fixture in
            _ = try await fixture.commit()
            let device = fixture.account.devices[0]
            try await fixture.database.execute(
                """
                UPDATE delivery.fanout_lease
                   SET state = 'held', epoch = 3, holder_device = \(device), lease_nonce = gen_random_uuid(),
                       attempt_id = gen_random_uuid(), granted_at = now(), expires_at = now() + interval '1 minute',
                       hard_deadline = now() + interval '5 minutes'
                """)
            try await revoke(device, fixture)
            try await fixture.withCoordinator {
                try await becomes { try await isDone(fixture) }
                #expect(
                    try await fixture.count(
                        "state = 'open' AND epoch = 3 AND holder_device IS NULL", in: "fanout_lease") == 1)
                #expect(try await fixture.count("kind = 'revoked'", in: "lease_event") == 1)
            }
        }
    }

    @Test func `completes the job that waited for it alone`() async throws {
        try await CoordinatorFixture.with(devices: 1) { fixture in
            let job = try await fixture.commit(recipients: [])
            try await revoke(fixture.account.devices[0], fixture)
            try await fixture.withCoordinator {
                try await becomes { try await fixture.text("completed_at", of: job) != nil }
            }
        }
    }

    @Test func `with more jobs than a batch loses all of them`() async throws {
        try await CoordinatorFixture.with { fixture in
            for _ in 0..<5 { _ = try await fixture.commit() }
            try await revoke(fixture.account.devices[0], fixture)
            var configuration = CoordinatorFixture.configuration
            configuration.batch = 2
            try await fixture.withCoordinator(configuration) {
                try await becomes { try await isDone(fixture) }
                #expect(try await fixture.count("state = 'revoked'", in: "job_device") == 5)
            }
        }
    }
}
