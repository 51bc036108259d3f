import AMQP
import Testing

@Suite struct ConfirmLedgerTests {
    private func ledger(of count: Int) -> ConfirmLedger {
        var ledger = ConfirmLedger()
        for number in 1...count { _ = ledger.published(messageID: "m\(number)") }
        return ledger
    }

    private func tags(_ settled: [ConfirmLedger.Settled]) -> [UInt64] { settled.map(\.tag) }

    enum Event: Sendable {
        case ack(UInt64, multiple: Bool)
        case nack(UInt64, multiple: Bool)
    }

    struct Case: Sendable {
        let name: String
        let events: [Event]
        let settled: [[UInt64]]
        let outstanding: Int
    }

    @Test(arguments: [
        Case(
            name: "one by one", events: [.ack(1, multiple: false), .ack(2, multiple: false)], settled: [[1], [2]],
            outstanding: 3),
        Case(name: "several at once", events: [.ack(3, multiple: true)], settled: [[1, 2, 3]], outstanding: 2),
        Case(
            name: "out of order, then the rest",
            events: [.ack(4, multiple: false), .ack(2, multiple: false), .ack(5, multiple: true)],
            settled: [[4], [2], [1, 3, 5]], outstanding: 0),
        Case(
            name: "zero and multiple means all", events: [.ack(0, multiple: true)], settled: [[1, 2, 3, 4, 5]],
            outstanding: 0),
        Case(
            name: "the same tag twice", events: [.ack(1, multiple: false), .ack(1, multiple: false)],
            settled: [[1], []], outstanding: 4),
        Case(
            name: "a tag never given", events: [.ack(6, multiple: false), .ack(9, multiple: true)], settled: [[], []],
            outstanding: 5),
        Case(
            name: "nack of several", events: [.nack(2, multiple: true), .ack(5, multiple: true)],
            settled: [[1, 2], [3, 4, 5]], outstanding: 0),
    ])
    func `tags settle once, whatever order the broker chooses`(_ each: Case) {
        var ledger = ledger(of: 5)
        let settled = each.events.map { event in
            switch event {
            case .ack(let tag, let multiple): tags(ledger.acked(tag, multiple: multiple))
            case .nack(let tag, let multiple): tags(ledger.nacked(tag, multiple: multiple))
            }
        }
        #expect(settled == each.settled, "\(each.name)")
        #expect(ledger.outstanding == each.outstanding)
    }

    @Test func `a returned message is settled as returned by its ack`() {
        var ledger = ledger(of: 3)
        let found = ledger.returned(messageID: "m2", code: 312, text: "NO_ROUTE")
        #expect(found)
        let verdicts = ledger.acked(3, multiple: true).map(\.verdict)
        #expect(verdicts == [.confirmed, .returned(code: 312, text: "NO_ROUTE"), .confirmed])
    }

    @Test func `of two publishes of one id the older one was returned first`() {
        var ledger = ConfirmLedger()
        _ = ledger.published(messageID: "same")
        _ = ledger.published(messageID: "same")
        _ = ledger.returned(messageID: "same", code: 312, text: "first")
        _ = ledger.returned(messageID: "same", code: 312, text: "second")
        let verdicts = ledger.acked(2, multiple: true).map(\.verdict)
        #expect(verdicts == [.returned(code: 312, text: "first"), .returned(code: 312, text: "second")])
    }

    @Test func `a return of an id that is not outstanding is not ours`() {
        var ledger = ledger(of: 2)
        _ = ledger.acked(1, multiple: false)
        let unknown = ledger.returned(messageID: "m1", code: 312, text: "NO_ROUTE")
        #expect(!unknown)
    }

    @Test func `closing names what is open and starts again at one`() {
        var ledger = ledger(of: 4)
        _ = ledger.acked(2, multiple: false)
        let open = ledger.closed()
        #expect(open == [1, 3, 4])
        let next = ledger.published(messageID: "again")
        #expect(next == 1)
    }

    @Test func `a long life keeps the count right`() {
        var ledger = ConfirmLedger()
        var settled = 0
        for round in 0..<100 {
            for _ in 0..<100 { _ = ledger.published(messageID: "m") }
            settled += ledger.acked(UInt64(round * 100 + 60), multiple: true).count
        }
        #expect(settled == 9960)
        #expect(ledger.outstanding == 40)
        let rest = ledger.acked(10_000, multiple: true)
        #expect(rest.count == 40)
    }
}
