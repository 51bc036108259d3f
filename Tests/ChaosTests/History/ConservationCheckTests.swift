import Delivery
import Testing

@testable import Chaos

/// Bad histories, each of which the check has to name, and good ones that it has to let pass.
@Suite struct ConservationCheckTests {
    private static let id = Identifier("00000000-0000-4000-8000-000000000001")!

    struct Case: Sendable, CustomTestStringConvertible {
        let what: String
        var promises: [Violation.Promise] = []
        var allowance = Allowance()
        var change: @Sendable (inout CampaignHistory) -> Void

        var testDescription: String { what }
    }

    private static func history(_ change: (inout CampaignHistory) -> Void) -> CampaignHistory {
        var history = CampaignHistory()
        history.entries = [CampaignHistory.Entry(id: id, state: "accepted", acceptances: 1)]
        history.events = 1
        history.effects = ["felt": 1]
        change(&history)
        return history
    }

    private func promises(_ example: Case) -> [Violation.Promise] {
        ConservationCheck(allowance: example.allowance).violations(in: Self.history(example.change)).map(\.promise)
    }

    @Test(arguments: [
        Case(what: "an entry is pending", promises: [.ends]) { $0.entries[0].state = "pending" },
        Case(what: "a row is still due", promises: [.ends]) { $0.leftovers = [(id, "seq 1")] },
        Case(what: "accepted in the database, by no provider", promises: [.isAccountedFor]) {
            $0.entries[0].acceptances = 0
        },
        Case(what: "an entry failed that no sender failed", promises: [.isAccountedFor]) {
            $0.entries[0].state = "failed"
            $0.entries[0].reason = "silent"
        },
        Case(what: "an entry failed for a token that no provider refused", promises: [.isAccountedFor]) {
            $0.entries[0].state = "failed"
            $0.entries[0].reason = "token"
            $0.deadLetters = [CampaignHistory.DeadLetter(entry: id, isEvent: false, reason: "token")]
        },
        Case(what: "an entry failed without a dead letter", promises: [.isAccountedFor]) {
            $0.entries[0].state = "failed"
            $0.entries[0].reason = "token"
            $0.entries[0].refusals = 1
        },
        Case(what: "a dead letter for a hint that was accepted", promises: [.isNotBuried]) {
            $0.deadLetters = [CampaignHistory.DeadLetter(entry: id, isEvent: false, reason: "token")]
        },
        Case(what: "no token is left, and nobody took it away", promises: [.isAccountedFor]) {
            $0.entries[0].state = "no_token"
            $0.entries[0].refusals = 1
        },
        Case(what: "an entry was called superseded", promises: [.isAccountedFor]) {
            $0.entries[0].state = "superseded"
        },
        Case(what: "two relays held a row", promises: [.hasOneHolder]) {
            $0.leaseFaults = [CampaignHistory.LeaseFault(entry: id, what: "claimed by relay-2 while relay-1 held it")]
        },
        Case(what: "an outage was charged", promises: [.isNotCharged]) { $0.entries[0].failures = 1 },
        Case(what: "more failures than charged outcomes", promises: [.isNotCharged]) {
            $0.entries[0].failures = 2
            $0.entries[0].charged = 1
        },
        Case(what: "a silence where none is allowed", promises: [.isNotSilent]) { $0.entries[0].silences = 1 },
        Case(what: "an alert that rang twice", promises: [.isBounded]) { $0.entries[0].acceptances = 2 },
        Case(what: "an alert that rang more often than one ambiguous answer explains", promises: [.isBounded]) {
            $0.entries[0].acceptances = 3
            $0.entries[0].ambiguous = 1
        },
        Case(what: "a hint was buried", promises: [.isNotBuried]) {
            $0.deadLetters = [CampaignHistory.DeadLetter(entry: id, isEvent: false, reason: "buried: crashes")]
        },
        Case(
            what: "a hint was buried where only events may be", promises: [.isNotBuried],
            allowance: Allowance(buriedEvents: true)
        ) {
            $0.deadLetters = [CampaignHistory.DeadLetter(entry: id, isEvent: false, reason: "buried: crashes")]
        },
        Case(what: "an event reached no queue", promises: [.eventArrives]) { $0.unseenEvents = [id] },
        Case(what: "a row was claimed while nobody could say what became of it", promises: [.waits]) {
            $0.holds = [CampaignHistory.Hold(what: "no sender runs", from: 100, to: 200)]
            $0.claims = [CampaignHistory.Claim(entry: id, seq: 2, at: 150)]
        },
        Case(what: "a good token was taken away", promises: [.keepsTokens]) { $0.cleared = [id] },
        Case(what: "another route's hint was held back", promises: [.isUndisturbed]) {
            $0.entries[0].device = id
            $0.entries[0].createdAt = 150
            $0.entries[0].finishedAt = 2_000_151
            $0.calms = [CampaignHistory.Calm(devices: [id], from: 100, to: 200, limit: .seconds(2))]
        },
        Case(what: "memory grew by more than a fifth", promises: [.isSteady]) {
            $0.memories = [CampaignHistory.Memory(process: "sender", samples: [1, 1, 100, 100, 110, 110, 110, 121])]
        },
        Case(what: "nobody looked at the memory", promises: [.wasFelt]) {
            $0.memories = [CampaignHistory.Memory(process: "sender", samples: [])]
        },
        Case(what: "the fault was not felt", promises: [.wasFelt]) { $0.effects["kills"] = 0 },
        Case(what: "there was nothing to lose", promises: [.wasFelt]) { $0.entries = [] },
    ])
    func `a broken promise is named`(_ example: Case) {
        #expect(promises(example) == example.promises)
    }

    @Test(arguments: [
        Case(what: "all went well") { _ in },
        Case(what: "silences, and an alert for each, where confirms are lost", allowance: Allowance(silences: true)) {
            $0.entries[0].silences = 2
            $0.entries[0].acceptances = 3
        },
        Case(what: "an alert for an ambiguous answer, one for a redelivery, and the charge") {
            $0.entries[0].acceptances = 3
            $0.entries[0].ambiguous = 1
            $0.entries[0].redelivered = 1
            $0.entries[0].failures = 1
            $0.entries[0].charged = 1
        },
        Case(what: "an event lost with the broker's disk", allowance: Allowance(silences: true, lostEvents: true)) {
            $0.unseenEvents = [id]
        },
        Case(what: "an event buried that no message can carry", allowance: Allowance(buriedEvents: true)) {
            $0.deadLetters = [CampaignHistory.DeadLetter(entry: id, isEvent: true, reason: "buried: the headers take")]
        },
        Case(what: "a phone lost its app: a sender failed its hint, and the next one had no token") {
            let device = Identifier("00000000-0000-4000-8000-000000000002")!
            $0.gone = [device]
            $0.entries = [
                CampaignHistory.Entry(id: id, device: device, state: "failed", reason: "token", refusals: 1),
                CampaignHistory.Entry(id: device, device: device, state: "no_token"),
            ]
            $0.deadLetters = [CampaignHistory.DeadLetter(entry: id, isEvent: false, reason: "token")]
        },
        Case(what: "a dead token was taken away") {
            $0.gone = [id]
            $0.cleared = [id]
        },
        Case(what: "another route's hint in time, and one from after the fault") {
            $0.entries = [0, 201].map {
                CampaignHistory.Entry(
                    id: id, device: id, state: "accepted", createdAt: $0 == 0 ? 150 : $0,
                    finishedAt: $0 == 0 ? 2_000_150 : 9_000_000, acceptances: 1)
            }
            $0.calms = [CampaignHistory.Calm(devices: [id], from: 100, to: 200, limit: .seconds(2))]
        },
        Case(what: "memory that rose early") {
            $0.memories = [CampaignHistory.Memory(process: "sender", samples: [1, 1, 100, 100, 110, 110, 110, 120])]
        },
        Case(what: "claims before and after a stretch of waiting") {
            $0.holds = [CampaignHistory.Hold(what: "no sender runs", from: 100, to: 200)]
            $0.claims = [100, 200].map { CampaignHistory.Claim(entry: id, seq: 1, at: $0) }
        },
    ])
    func `what is explained is no violation`(_ example: Case) {
        #expect(promises(example) == [])
    }

    @Test func `a violation names the entry`() {
        let found = ConservationCheck(allowance: Allowance()).violations(
            in: Self.history { $0.entries[0].acceptances = 2 })
        #expect(found.map(\.entry) == [Self.id])
        #expect(found.first?.description.contains("\(Self.id)") == true)
    }
}
