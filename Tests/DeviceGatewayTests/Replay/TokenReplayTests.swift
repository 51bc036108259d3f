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

/// K5 with real servers: registrations are ordered by their number, whatever the network does to them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TokenReplayTests {
    private func registration(_ number: Int64, _ pair: String) -> [UInt8] {
        DeviceAPIPushToken(
            provider: .apns, environment: "production", app: "cheqi", kind: .token,
            token: String(repeating: pair, count: 32), registration: number
        ).encoded()
    }

    private func active(_ gateways: LossyGateways) async throws -> [Int64] {
        try await gateways.world.administrator.query(
            "SELECT registration FROM delivery.push_token WHERE state = 'active'"
        ).map { try $0["registration"] }
    }

    @Test func `R-60: a registration replayed through several gateways is one active token`() async throws {
        try await LossyGateways.with { gateways in
            let phone = try await gateways.world.enrol()
            let body = registration(1, "0a")
            let answers = try await gateways.replayed {
                phone.signedForWire($0, "PUT", "/v1/devices/me/push-token", body)
            }
            #expect(answers.map(\.status) == [204, 204, 204])
            #expect(try await gateways.world.count("SELECT count(*) FROM delivery.push_token") == 1)
            #expect(try await active(gateways) == [1])
        }
    }

    /// The network keeps the call of the old token until the new one is registered at another gateway.
    @Test func `a delayed PUT push-token of an old token never replaces a newer one`() async throws {
        try await LossyGateways.with { gateways in
            let phone = try await gateways.world.enrol()
            let (slow, fast) = (gateways.ways[0], gateways.ways[1])
            let path = "/v1/devices/me/push-token"
            slow.proxy.freeze([.toServer])
            let old = phone.signedForWire(slow.url, "PUT", path, registration(1, "0a"))
            async let delayed = slow.send(old)
            #expect(try await eventually(within: .seconds(30)) { slow.proxy.isHolding(.toServer) })
            let newer = phone.signedForWire(fast.url, "PUT", path, registration(2, "0b"))
            #expect(try await fast.send(newer).status == 204)
            slow.proxy.thaw()
            let late = try await delayed
            #expect(late.status == 409)
            #expect(try DeviceAPIProblem(decoding: late.body).highestRegistration == 2)
            #expect(try await active(gateways) == [2])
        }
    }

    @Test func `registrations of one phone at several gateways at once end with the highest number`() async throws {
        try await LossyGateways.with { gateways in
            let phone = try await gateways.world.enrol()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in Int64(1)...12 {
                    let way = gateways.ways[Int(number) % gateways.ways.count]
                    let body = registration(number, "0" + String(number, radix: 16))
                    group.addTask {
                        let request = phone.signedForWire(way.url, "PUT", "/v1/devices/me/push-token", body)
                        let answer = try await way.send(request)
                        #expect(answer.status == 204 || answer.status == 409)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await active(gateways) == [12])
        }
    }
}
