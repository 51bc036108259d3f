import Cryptography
import Daemon
import Delivery
import HTTPServer
import Messages
import Postgres
import Storage
import Testing

@testable import DeviceGateway

@Suite(.serialized, .timeLimit(.minutes(2))) struct PushTokenTests {
    private static let token = String(repeating: "0a", count: 32)

    private func put(
        _ desk: Desk, _ phone: Phone, _ number: Int64, token: String = Self.token, app: String = "cheqi",
        environment: String = "production"
    ) async -> Response {
        let wish = DeviceAPIPushToken(
            provider: .apns, environment: environment, app: app, kind: .token, token: token, registration: number)
        return await desk.call(phone, "PUT", "/v1/devices/me/push-token", wish.encoded())
    }

    private func remove(_ desk: Desk, _ phone: Phone, _ number: Int64) async -> Response {
        let wish = DeviceAPIPushTokenRemoval(provider: .apns, registration: number)
        return await desk.call(phone, "DELETE", "/v1/devices/me/push-token", wish.encoded())
    }

    private func states(_ desk: Desk, _ phone: Phone) async throws -> [String] {
        try await desk.world.administrator.query(
            "SELECT state FROM delivery.push_token WHERE device_id = \(phone.id) ORDER BY token_id"
        ).map { try $0["state"] }
    }

    @Test func `a token is kept sealed and opens for its device only`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            #expect(await put(desk, phone, 1).status == 204)
            let row = try await desk.world.administrator.query(
                "SELECT sealed, sealing_key_id, fingerprint FROM delivery.push_token"
            ).one()
            let sealed = try row.get("sealed", as: [UInt8].self)
            let subject = TokenSubject(
                device: phone.id.bytes, provider: "apns", app: "cheqi", environment: "production")
            #expect(try desk.vault.open(sealed, keyID: try row["sealing_key_id"], for: subject) == Self.token)
            #expect(try row.get("fingerprint", as: [UInt8].self) == desk.vault.fingerprint(of: Self.token).bytes)
        }
    }

    @Test func `a repetition changes nothing`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            #expect(await put(desk, phone, 1).status == 204)
            #expect(await put(desk, phone, 1, token: Self.token.uppercased()).status == 204)
            #expect(try await states(desk, phone) == ["active"])
        }
    }

    @Test func `a delayed registration of an old token never replaces a newer one`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let newer = String(repeating: "0b", count: 32)
            #expect(await put(desk, phone, 2, token: newer).status == 204)
            let late = await put(desk, phone, 1)
            #expect(late.status == 409 && late.problem?.kind == .staleRegistration)
            #expect(late.problem?.highestRegistration == 2)
            #expect(await put(desk, phone, 2).problemName == "stale-registration")
            #expect(try await states(desk, phone) == ["active"])
        }
    }

    @Test func `a newer token replaces the older one`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            _ = await put(desk, phone, 1)
            #expect(await put(desk, phone, 2, token: String(repeating: "0b", count: 32)).status == 204)
            #expect(try await states(desk, phone) == ["replaced", "active"])
        }
    }

    @Test func `the same token moves to the device that registered it last`() async throws {
        try await withDesk { desk in
            let first = try await desk.world.enrol()
            let second = try await desk.world.enrol()
            _ = await put(desk, first, 1)
            #expect(await put(desk, second, 1).status == 204)
            #expect(try await states(desk, first) == ["replaced"])
            #expect(try await states(desk, second) == ["active"])
        }
    }

    @Test func `two devices that swap tokens end with one owner each`() async throws {
        try await withDesk { desk in
            let phones = [try await desk.world.enrol(), try await desk.world.enrol()]
            let tokens = [String(repeating: "0a", count: 32), String(repeating: "0b", count: 32)]
            for round in 1...10 {
                let statuses = await withTaskGroup(of: UInt16.self) { group in
                    for index in 0..<2 {
                        let token = tokens[(index + round) % 2]
                        let phone = phones[index]
                        group.addTask { await put(desk, phone, Int64(round), token: token).status }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses == [204, 204])
            }
            let active = try await desk.world.count(
                "SELECT count(*) FROM delivery.push_token WHERE state = 'active'")
            #expect((1...2).contains(active))
        }
    }

    @Test func `a new registration lifts a token that was set aside and hastens its hints`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            _ = await put(desk, phone, 1)
            let job = try await desk.world.commit()
            try await desk.world.administrator.execute("UPDATE delivery.push_token SET state = 'set_aside'")
            try await desk.world.administrator.execute("UPDATE delivery.due SET due_at = now() + interval '2 minutes'")
            #expect(await put(desk, phone, 2).status == 204)
            #expect(try await states(desk, phone) == ["active"])
            let waiting = try await desk.world.count(
                """
                SELECT count(*) FROM delivery.due JOIN delivery.job_device d ON d.entry = due.entry
                 WHERE d.job_id = \(job) AND due.due_at > clock_timestamp()
                """)
            #expect(waiting == 0)
        }
    }

    @Test func `every registration has a later time`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            var times: [Int64] = []
            for number in 1...4 {
                _ = await put(desk, phone, Int64(number))
                times.append(
                    try await desk.world.count(
                        "SELECT (extract(epoch FROM registered_at) * 1000)::bigint AS at FROM delivery.push_token"))
            }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func `detaching is ordered too`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            _ = await put(desk, phone, 1)
            #expect(await remove(desk, phone, 2).status == 204)
            #expect(await remove(desk, phone, 2).status == 204)
            #expect(try await states(desk, phone) == ["detached"])
            #expect(await put(desk, phone, 1).problemName == "stale-registration")
            #expect(await put(desk, phone, 3).status == 204)
            #expect(await remove(desk, phone, 2).problemName == "stale-registration")
        }
    }

    @Test func `nonsense is refused with its own word`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            #expect(await put(desk, phone, 1, token: "zz").problemName == "bad-token-format")
            #expect(await put(desk, phone, 1, app: "other").problemName == "unknown-app")
            #expect(await put(desk, phone, 1, environment: "").problemName == "unknown-app")
        }
    }
}
