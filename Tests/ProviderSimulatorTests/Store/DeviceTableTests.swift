import Testing

@testable import ProviderSimulator

struct DeviceTableTests {
    private func table(_ provider: String, isOnline: Bool = false) -> DeviceTable {
        var table = DeviceTable()
        _ = table.register(Device(token: "t", provider: provider, app: "a", isOnline: isOnline), now: 0)
        return table
    }

    private func message(_ id: String, key: String? = nil, expiresAt: Int64? = nil) -> PushMessage {
        PushMessage(id: id, payload: [], collapseKey: key, priority: "10", expiresAt: expiresAt)
    }

    private func ids(_ outgoing: [DeviceTable.Outgoing]) -> [String] {
        outgoing.map { $0.message?.id ?? $0.kind.rawValue }
    }

    @Test func `an online phone gets messages at once`() {
        var table = table("apns", isOnline: true)
        #expect(ids(table.accept(message("1"), for: "t", now: 0)) == ["1"])
        #expect(ids(table.setOnline("t", true, now: 0)) == [])
    }

    @Test func `APNs keeps the newest for a phone that is away`() {
        var table = table("apns")
        #expect(table.accept(message("1"), for: "t", now: 0).isEmpty)
        #expect(table.accept(message("2"), for: "t", now: 0).isEmpty)
        #expect(ids(table.setOnline("t", true, now: 0)) == ["2"])
        #expect(ids(table.setOnline("t", true, now: 0)) == [])
    }

    @Test func `FCM keeps a hundred in order`() {
        var table = table("fcm")
        for number in 1...100 { _ = table.accept(message("\(number)"), for: "t", now: 0) }
        #expect(ids(table.setOnline("t", true, now: 0)) == (1...100).map(String.init))
    }

    @Test func `with one more FCM gives all of them up and says so`() {
        var table = table("fcm")
        for number in 1...102 { _ = table.accept(message("\(number)"), for: "t", now: 0) }
        #expect(ids(table.setOnline("t", true, now: 0)) == ["deletedMessages", "102"])
    }

    @Test func `a collapse key keeps its newest message, and four keys are kept`() {
        var table = table("fcm")
        for key in ["a", "b", "c", "d", "b", "e"] { _ = table.accept(message(key, key: key), for: "t", now: 0) }
        #expect(ids(table.setOnline("t", true, now: 0)) == ["c", "d", "b", "e"])
    }

    @Test func `what expired meanwhile is not delivered`() {
        var table = table("fcm")
        _ = table.accept(message("1", expiresAt: 10), for: "t", now: 0)
        _ = table.accept(message("2", expiresAt: 11), for: "t", now: 0)
        #expect(ids(table.setOnline("t", true, now: 10)) == ["2"])
    }

    @Test func `now or never is never for a phone that is away`() {
        var table = table("apns")
        var now = message("1", expiresAt: 0)
        now.isNowOrNever = true
        #expect(table.accept(now, for: "t", now: 5).isEmpty)
        #expect(ids(table.setOnline("t", true, now: 5)) == [])
        #expect(ids(table.accept(now, for: "t", now: 5)) == ["1"])
    }

    @Test func `hexadecimal tokens are the same in either case`() {
        var table = DeviceTable()
        let token = String(repeating: "aB", count: 32)
        _ = table.register(Device(token: token, provider: "apns", app: "a"), now: 0)
        #expect(table[token.lowercased()] != nil)
    }
}
