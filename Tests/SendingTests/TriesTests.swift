import Delivery
import Testing

@testable import Sending

struct TriesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var verdicts: [Verdict]
        var mayStart = true
        var last: Tries.Step
        var testDescription: String { verdicts.map(\.name).joined(separator: ", ") + (mayStart ? "" : ", too late") }
    }

    private static let refused = Verdict.retryNow(thenPause: false)
    private static let unrelated = Verdict.retryNow(thenPause: true)

    static let rows = [
        Row(verdicts: [.accepted(id: "x")], last: .end(.accepted(id: "x"))),
        Row(verdicts: [.tokenSuspect], last: .end(.tokenSuspect)),
        Row(verdicts: [.tokenDead(since: 5)], last: .end(.tokenDead(since: 5))),
        Row(verdicts: [.retryLater(after: 7, scope: .device)], last: .end(.deferred(after: 7, scope: .device))),
        Row(verdicts: [.ambiguous], last: .end(.ambiguous)),
        Row(verdicts: [.faultyRequest], last: .end(.faulty)),
        Row(verdicts: [.pauseRoute(.route)], last: .end(.paused(.route))),
        Row(verdicts: [.holdCredentials], last: .end(.unprocessed(after: 60))),
        Row(verdicts: [refused], last: .again),
        Row(verdicts: [refused, refused], last: .again),
        Row(verdicts: [refused, refused, refused], last: .end(.unprocessed(after: nil))),
        Row(verdicts: [refused], mayStart: false, last: .end(.unprocessed(after: nil))),
        Row(verdicts: [refused, .accepted(id: nil)], last: .end(.accepted(id: nil))),
        Row(verdicts: [.refreshCredentials], last: .renewCredentialThenAgain),
        Row(verdicts: [.refreshCredentials], mayStart: false, last: .end(.unprocessed(after: nil))),
        Row(verdicts: [.refreshCredentials, .refreshCredentials], last: .end(.paused(.credential))),
        Row(verdicts: [.refreshCredentials, .accepted(id: nil)], last: .end(.accepted(id: nil))),
        Row(verdicts: [.refreshCredentials, refused], last: .again),
        Row(verdicts: [unrelated], last: .again),
        Row(verdicts: [unrelated, unrelated], last: .end(.paused(.credential))),
    ]

    @Test(arguments: rows)
    func `each course of verdicts has one next step`(row: Row) {
        var tries = Tries(limit: 3)
        var step = Tries.Step.again
        for verdict in row.verdicts {
            step = tries.next(after: Judgement(verdict, reason: "r"), mayStart: row.mayStart)
        }
        #expect(step == row.last)
    }
}
