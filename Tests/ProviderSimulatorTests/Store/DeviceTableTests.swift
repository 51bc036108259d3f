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

    private func comeBack(_ table: inout DeviceTable, now: Int64) -> [Outgoing] {
        guard var device = table["t"] else { return [] }
        device.isOnline = true
        device.isAwake = true
        return table.register(device, now: now)
    }

    private func ids(_ outgoing: [Outgoing]) -> [String] {
        outgoing.map { $0.message?.id ?? $0.kind.rawValue }
    }

    @Test func `an online phone gets messages at once`() {
        var table = table("apns", isOnline: true)
        #expect(ids(table.accept(message("1"), for: "t", now: 0)) == ["1"])
        #expect(ids(comeBack(&table, now: 0)) == [])
    }

    @Test func `APNs keeps the newest for a phone that is away`() {
        var table = table("apns")
        #expect(table.accept(message("1"), for: "t", now: 0).isEmpty)
        #expect(table.accept(message("2"), for: "t", now: 0).isEmpty)
        #expect(ids(comeBack(&table, now: 0)) == ["2"])
        #expect(ids(comeBack(&table, now: 0)) == [])
    }

    @Test func `FCM keeps a hundred in order`() {
        var table = table("fcm")
        for number in 1...100 { _ = table.accept(message("\(number)"), for: "t", now: 0) }
        #expect(ids(comeBack(&table, now: 0)) == (1...100).map(String.init))
    }

    @Test func `with one more FCM gives all of them up and says so`() {
        var table = table("fcm")
        for number in 1...102 { _ = table.accept(message("\(number)"), for: "t", now: 0) }
        #expect(ids(comeBack(&table, now: 0)) == ["deletedMessages", "102"])
    }

    @Test func `a collapse key keeps its newest message, and four keys are kept`() {
        var table = table("fcm")
        for key in ["a", "b", "c", "d", "b", "e"] { _ = table.accept(message(key, key: key), for: "t", now: 0) }
        #expect(ids(comeBack(&table, now: 0)) == ["c", "d", "b", "e"])
    }

    @Test func `what expired meanwhile is not delivered`() {
        var table = table("fcm")
        _ = table.accept(message("1", expiresAt: 10), for: "t", now: 0)
        _ = table.accept(message("2", expiresAt: 11), for: "t", now: 0)
        #expect(ids(comeBack(&table, now: 10)) == ["2"])
    }

    @Test func `now or never is never for a phone that is away`() {
        var table = table("apns")
        var now = message("1", expiresAt: 0)
        now.isNowOrNever = true
        #expect(table.accept(now, for: "t", now: 5).isEmpty)
        #expect(ids(comeBack(&table, now: 5)) == [])
        #expect(ids(table.accept(now, for: "t", now: 5)) == ["1"])
    }

    @Test func `hexadecimal tokens are the same in either case, and phones keep their spelling`() {
        var table = DeviceTable()
        let token = String(repeating: "aB", count: 32)
        _ = table.register(Device(token: token, provider: "apns", app: "a"), now: 0)
        #expect(table.accept(message("1"), for: token.lowercased(), now: 0).map(\.token) == [token])
    }

    @Test func `only what is urgent reaches a phone that saves power`() {
        for provider in ["apns", "fcm"] {
            var table = table(provider, isOnline: true)
            guard var device = table["t"] else { return }
            device.isAwake = false
            #expect(table.register(device, now: 0).isEmpty)
            var patient = message("1")
            patient.isUrgent = false
            #expect(table.accept(patient, for: "t", now: 0).isEmpty)
            #expect(ids(table.accept(message("2"), for: "t", now: 0)) == ["2"])
            #expect(ids(comeBack(&table, now: 1)) == ["1"])
        }
    }

    @Test func `what a budget keeps back comes when it is due, the newest alone with APNs`() {
        var table = table("apns", isOnline: true)
        #expect(table.accept(message("1"), for: "t", now: 0, waits: 100).isEmpty)
        #expect(table.accept(message("2"), for: "t", now: 50, waits: 50).isEmpty)
        #expect(table.flushDue(now: 99).isEmpty)
        #expect(ids(table.flushDue(now: 100)) == ["2"])
        #expect(table.flushDue(now: 200).isEmpty)
    }

    @Test func `a phone that comes back does not get ahead of its budget`() {
        var table = table("fcm")
        #expect(table.accept(message("1"), for: "t", now: 0, waits: 100).isEmpty)
        #expect(comeBack(&table, now: 50).isEmpty)
        #expect(ids(table.flushDue(now: 100)) == ["1"])
    }

    @Test func `a topic reaches those who subscribed in the project`() {
        var table = DeviceTable()
        for (token, app, topics) in [("a", "p", ["news"]), ("b", "p", []), ("c", "q", ["news"]), ("d", "p", ["news"])] {
            var device = Device(token: token, provider: "fcm", app: app)
            device.topics = topics
            _ = table.register(device, now: 0)
        }
        #expect(table.subscribers(of: "news", app: "p") == ["a", "d"])
    }
}
