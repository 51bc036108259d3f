import Delivery
import Testing

@testable import LoadTest

@Suite struct ConservationTests {
    private func fate(_ state: String, _ change: (inout HintFate) -> Void = { _ in }) -> HintFate {
        var fate = HintFate(job: .random(), device: .random(), entry: .random())
        fate.state = state
        change(&fate)
        return fate
    }

    private func conservation(_ fates: [HintFate]) -> Conservation {
        fates.reduce(into: Conservation()) { $0.add($1) }
    }

    @Test func `every end and every place of an open hint is in the sum`() {
        let all = conservation([
            fate("accepted") { $0.acceptances = 1 },
            fate("failed") {
                $0.reason = "token"
                $0.refusals = 1
            },
            fate("failed") {
                $0.reason = "exhausted"
                $0.failures = 20
            },
            fate("expired") { $0.isLate = true }, fate("superseded") { $0.isDeviceDone = true },
            fate("no_token") { $0.hasDeadToken = true }, fate("pending") { $0.standing = .due },
            fate("pending") { $0.standing = .deferred }, fate("pending") { $0.standing = .inFlight },
        ])
        #expect(all.committed == 9)
        #expect(all.sum == 9)
        #expect((all.due, all.deferred, all.inFlight) == (2, 1, 1))
        #expect(all.isKept)
    }

    @Test func `accepted without an acceptance at the provider is lost`() {
        let swallowed = fate("accepted")
        let all = conservation([fate("accepted") { $0.acceptances = 1 }, swallowed])
        #expect(all.findings.map(\.entry) == [swallowed.entry])
        #expect(all.findings.first?.kind == .lost)
    }

    @Test func `committed without a row, and pending without a way on, are lost`() {
        var absent = fate("")
        absent.entry = nil
        let all = conservation([absent, fate("pending")])
        #expect(all.findings.map(\.kind) == [.lost, .lost])
        #expect(!all.isKept)
        #expect(all.sum < all.committed)
    }

    @Test(arguments: [
        (1, 0, 0, 0, false), (2, 0, 0, 0, true), (2, 1, 0, 0, false), (2, 0, 1, 0, false), (2, 0, 0, 1, false),
        (4, 1, 1, 1, false), (5, 1, 1, 1, true),
    ])
    func `acceptances are bounded by one, ambiguous, redelivered and silences`(
        _ acceptances: Int, _ ambiguous: Int, _ redelivered: Int, _ silences: Int, _ isDouble: Bool
    ) {
        let all = conservation([
            fate("accepted") {
                $0.acceptances = acceptances
                $0.ambiguous = ambiguous
                $0.redelivered = redelivered
                $0.silences = silences
            }
        ])
        #expect(all.count(.doubled) == (isDouble ? 1 : 0))
        #expect(all.allowedDoubles == (isDouble ? 0 : acceptances - 1))
    }

    @Test(arguments: ["failed", "expired", "superseded", "cancelled", "no_token"])
    func `an end without a reason that the test gave is unexplained`(_ state: String) {
        let ended = fate(state)
        let all = conservation([ended])
        #expect(all.findings.map(\.kind) == [.unexplained])
        #expect(all.findings.first?.entry == ended.entry)
    }
}
