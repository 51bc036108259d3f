import Delivery
import Messages
import Testing

@testable import DeviceGateway

@Suite struct CallTests {
    private static let id = Identifier("0b9e4a0e-6f3d-4e7b-9c51-2f6d0c8a1b22")!

    @Test(arguments: [
        ("POST", "devices", Call.device(.enrol)), ("PUT", "devices/me/push-token", .device(.registerToken)),
        ("DELETE", "devices/me/push-token", .device(.removeToken)),
        ("PUT", "devices/me/keys/k.1", .device(.putKey("k.1"))), ("GET", "jobs/\(id)", .device(.fetch(id))),
        ("POST", "jobs/\(id)/claim", .device(.claim(id))), ("POST", "jobs/\(id)/fanout-lease", .device(.acquire(id))),
        ("PUT", "jobs/\(id)/fanout-lease/3", .device(.renew(id, epoch: 3))),
        ("DELETE", "jobs/\(id)/fanout-lease/3", .device(.release(id, epoch: 3))),
        ("PUT", "jobs/\(id)/fanout/3", .device(.submit(id, epoch: 3))), ("POST", "jobs/\(id)/ack", .device(.ack(id))),
        ("POST", "jobs/\(id)/nack", .device(.nack(id))), ("GET", "sync", .device(.sync)),
        ("GET", "sync/wait", .device(.wait)),
        ("POST", "producer/accounts/a_-1/enrolment-tickets", .producer(.ticket(account: "a_-1"))),
        ("GET", "producer/accounts/a/devices", .producer(.devices(account: "a"))),
        ("PUT", "producer/jobs/\(id)", .producer(.commit(id))), ("GET", "producer/jobs/\(id)", .producer(.status(id))),
        ("POST", "producer/jobs/\(id)/cancel", .producer(.cancel(id))),
        ("POST", "producer/jobs/cancel", .producer(.cancelRange)),
        ("DELETE", "producer/devices/\(id)", .producer(.revoke(id))),
        ("DELETE", "producer/devices/\(id)/data", .producer(.eraseDevice(id))),
        ("DELETE", "producer/accounts/a/data", .producer(.eraseAccount("a"))),
    ])
    func `a method and a path are one call`(method: String, path: String, call: Call) throws {
        #expect(try Call(method: method, path: "/v1/\(path)"[...]) == call)
    }

    @Test(arguments: [
        "", "/", "/v1", "/v1/", "/v2/sync", "/v1/sync/", "/v1/jobs", "/v1/jobs/x", "/v1/jobs/\(id)/", "/v1//sync",
        "/v1/jobs/\(id)/fanout-lease/0", "/v1/jobs/\(id)/fanout-lease/+1", "/v1/jobs/\(id)/fanout/01",
        "/v1/jobs/\(id)/fanout/-1", "/v1/devices/me/keys/",
        "/v1/devices/me/keys/a%2Fb",
        "/v1/producer/accounts/a b/devices", "/v1/jobs/\(id)/claim/x",
    ])
    func `any other path is not found`(path: String) {
        #expect(throws: Problem(.notFound)) { try Call(method: "GET", path: path[...]) }
    }

    @Test func `another method is told which are allowed`() {
        let problem = #expect(throws: Problem.self) { try Call(method: "PATCH", path: "/v1/devices/me/push-token") }
        #expect(problem?.kind == .device(.methodNotAllowed) && problem?.allow == "PUT, DELETE")
    }

    @Test(arguments: [
        (String(repeating: "aF", count: 32), Provider.apns, TokenKind.token, true),
        (String(repeating: "a", count: 63), .apns, .token, false),
        (String(repeating: "g", count: 64), .apns, .token, false), ("abc:def", .fcm, .token, false),
        (String(repeating: "x", count: 140) + ":APA91b-_", .fcm, .token, true),
        (String(repeating: "x ", count: 70), .fcm, .token, false), ("cFidOf22CharactersLong", .fcm, .fid, true),
        (String(repeating: "a", count: 64), .apns, .fid, false),
    ])
    func `a token has its provider's form`(token: String, provider: Provider, kind: TokenKind, valid: Bool) {
        #expect(TokenFormat.isValid(token, provider: provider, kind: kind) == valid)
    }
}
