import Delivery
import Messages
import Testing

@testable import LoadTest

@Suite struct LedgerTests {
    private let fcm = Route(provider: .fcm, environment: "", app: "cheqi")
    private let accounts: [LoadAccount]
    private let arrivals: [Arrival]

    init() {
        let fcm = fcm
        accounts = [1, 3].map { count in
            LoadAccount(
                name: "a\(count)",
                devices: (0..<count).map { LoadAccount.Device(id: .random(), route: fcm, token: "t\(count)-\($0)") })
        }
        arrivals = [(0, 1), (1_000_000, 0), (2_000_000, 1)].map { Arrival(job: .random(), at: $0, account: $1) }
    }

    private func line(_ job: Identifier, _ token: String, _ status: Int, at: Int64 = 5_000_000) throws -> Answer {
        try #require(Answer(Array("7 \(at) 40 \(status) fcm - \(job) \(token)".utf8)))
    }

    @Test func `each hint has a place of its own, found by device and by token`() throws {
        let table = HintTable(arrivals: arrivals, accounts: accounts)
        #expect(table.hints.count == 7)
        var places: [Int] = []
        for arrival in arrivals {
            for device in accounts[arrival.account].devices {
                let place = try #require(table.place(arrival.job, device: device.id))
                #expect(table.place(arrival.job, token: device.token) == place)
                places.append(place)
            }
        }
        #expect(places == Array(0..<7))
        #expect(table.place(arrivals[1].job, token: "t3-0") == nil)
        #expect(table.place(.random(), token: "t3-0") == nil)
    }

    @Test func `as many hints are intended by an instant as the jobs up to it make`() {
        let table = HintTable(arrivals: arrivals, accounts: accounts)
        #expect([-1, 0, 999_999, 1_000_000, 2_000_000].map { table.intended(by: $0) } == [0, 3, 3, 4, 7])
    }

    @Test func `latency is from the intended arrival, whenever the job was committed`() async throws {
        let ledger = Ledger(HintTable(arrivals: arrivals, accounts: accounts), epoch: 1_000_000)
        await ledger.committed([1], at: 4_900_000)
        await ledger.answered([try line(arrivals[1].job, "t1-0", 200)])
        // Came at 4 s, was answered 40 ms later, and was to come at 1 s.
        let (recent, all) = await ledger.takeRecent()
        #expect(recent.largest == 3_040_000)
        #expect(all == recent)
        #expect(await ledger.takeRecent().recent.count == 0)
    }

    @Test func `acceptances, refusals and broken off requests are told apart`() async throws {
        let ledger = Ledger(HintTable(arrivals: arrivals, accounts: accounts), epoch: 0)
        await ledger.answered([
            try line(arrivals[0].job, "t3-1", 0), try line(arrivals[0].job, "t3-1", 503),
            try line(arrivals[0].job, "t3-1", 200), try line(arrivals[0].job, "t3-1", 200),
            try line(arrivals[0].job, "t3-2", 410),
        ])
        let hints = await ledger.table.hints
        #expect((hints[1].acceptances, hints[1].refusals) == (2, 0))
        #expect((hints[2].acceptances, hints[2].refusals) == (0, 1))
        let tally = await ledger.tally
        #expect((tally.requests, tally.sent, tally.accepted) == (5, 2, 1))
    }

    @Test func `a request about somebody else's hint is kept as a stranger`() async throws {
        let ledger = Ledger(HintTable(arrivals: arrivals, accounts: accounts), epoch: 0)
        await ledger.answered([try line(.random(), "t3-1", 200)])
        #expect(await ledger.strangers.count == 1)
    }

    @Test func `an outcome message that comes again explains nothing twice`() async {
        let ledger = Ledger(HintTable(arrivals: arrivals, accounts: accounts), epoch: 0)
        let entry = Identifier.random()
        let outcome = Outcome(
            entry: entry, seq: 1, life: 1, kind: .ambiguous, device: .random(),
            fingerprint: Fingerprint(bytes: [UInt8](repeating: 1, count: 32))!, registeredAt: 0, redelivered: true,
            at: 0)
        for _ in 0..<2 { await ledger.reported([outcome], message: "m1") }
        #expect(await ledger.explanations[entry] == Ledger.Explanation(ambiguous: 1, redelivered: 1))
    }

    @Test func `a hint's job and device are found without reading the rest`() throws {
        let hint = Hint(
            entry: .random(), seq: 1, life: 1, publishedAt: 1, deadline: 2, job: .random(), documentType: .receipt,
            route: fcm, device: .random(), token: Hint.SealedToken(kind: .token, sealed: [1, 2], key: "k1"),
            fingerprint: Fingerprint(bytes: [UInt8](repeating: 1, count: 32))!, registeredAt: 0, expiresAt: 9)
        let glance = try #require(HintGlance(hint.encoded()))
        #expect(glance.job == hint.job)
        #expect(glance.device == hint.device)
        #expect(HintGlance([]) == nil)
    }
}
