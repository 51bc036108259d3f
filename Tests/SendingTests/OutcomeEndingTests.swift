import Delivery
import Messages
import Testing

@testable import Sending

struct OutcomeEndingTests {
    private func outcome(_ ending: Ending, _ judgement: Judgement, provider: Provider = .apns) -> Outcome? {
        let route =
            provider == .apns
            ? Route(provider: .apns, environment: "production", app: "a")
            : Route(provider: .fcm, environment: "", app: "a")
        return Outcome(
            of: .sample(route: route), ending, judgement, redelivered: true, probe: false, at: 7)
    }

    @Test func `an acceptance of APNs carries the entry as its id`() {
        let hint = Hint.sample()
        let outcome = Outcome(
            of: hint, .accepted(id: nil), Judgement(.accepted(id: nil), status: 200, reason: ""), redelivered: false,
            probe: true, at: 7)
        #expect(outcome?.providerID == hint.entry.description)
        #expect(outcome?.kind == .accepted)
        #expect(outcome?.status == 200)
        #expect(outcome?.reason == nil)
        #expect(outcome?.probe == true)
        #expect(outcome?.fingerprint == hint.fingerprint)
    }

    @Test func `an acceptance of FCM carries its name`() {
        let judgement = Judgement(.accepted(id: "n"), status: 200, reason: "")
        #expect(outcome(.accepted(id: "n"), judgement, provider: .fcm)?.providerID == "n")
    }

    @Test func `each ending has its kind and its own fields`() {
        let judgement = Judgement(.faultyRequest, status: 400, reason: "R")
        #expect(outcome(.tokenSuspect, judgement)?.kind == .tokenSuspect)
        #expect(outcome(.tokenDead(since: 3), judgement)?.providerTime == 3)
        let deferred = outcome(.deferred(after: 60, scope: .device), judgement)
        #expect(deferred?.kind == .deferred)
        #expect(deferred?.retryAfter == 60)
        #expect(deferred?.scope == .device)
        #expect(outcome(.ambiguous, judgement)?.kind == .ambiguous)
        #expect(outcome(.unprocessed(after: 60), judgement)?.kind == .returnedUnprocessed)
        #expect(outcome(.unprocessed(after: 60), judgement)?.retryAfter == 60)
        #expect(outcome(.paused(.route), judgement)?.kind == .returnedPaused)
        #expect(outcome(.paused(.route), judgement)?.pause == "R")
        #expect(outcome(.ambiguous, judgement)?.redelivered == true)
    }

    @Test func `a faulty request has no outcome`() {
        #expect(outcome(.faulty, Judgement(.faultyRequest, status: 400, reason: "R")) == nil)
    }
}
