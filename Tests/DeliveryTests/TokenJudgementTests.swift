import Delivery
import Testing

struct TokenJudgementTests {
    typealias Answers = TokenJudgement.Answers

    private static let sound = Answers(answers: 100, acceptances: 90, suspicions: 10)

    @Test(
        arguments: [
            (Answers(answers: 1, acceptances: 1, suspicions: 0), .clear),
            (Answers(answers: 10, acceptances: 1, suspicions: 9), .clear),  // few, though nearly all
            (Answers(answers: 11, acceptances: 1, suspicions: 10), .keep),  // no longer few
            (Answers(answers: 20, acceptances: 10, suspicions: 10), .keep),  // half
            (Answers(answers: 21, acceptances: 11, suspicions: 10), .clear),  // less than half
            (Answers(answers: 1, acceptances: 0, suspicions: 1), .keep),  // nothing was accepted since
            (Answers(answers: 0, acceptances: 0, suspicions: 0), .keep),
        ] as [(Answers, TokenJudgement.Verdict)])
    func `route and sender each have to be sound`(answers: Answers, verdict: TokenJudgement.Verdict) {
        #expect(TokenJudgement().verdict(route: answers, instance: Self.sound) == verdict)
        #expect(TokenJudgement().verdict(route: Self.sound, instance: answers) == verdict)
    }

    @Test(arguments: [(0, 120), (1, 240), (2, 480), (3, 900), (100, 900)])
    func `a kept token waits 2 min, doubling to 15`(trials: Int, seconds: Int) {
        #expect(TokenJudgement().nextDelay(trials: trials) == .seconds(seconds))
    }

    @Test func `up to nine of a route are tried, oldest first`() {
        let kept = (1...20).map { (token: $0, trials: 1) }
        #expect(TokenJudgement().trials(of: kept) == Array(1...9))
    }

    @Test func `a token is not tried at its first judgement`() {
        #expect(TokenJudgement().trials(of: [(token: 1, trials: 0), (token: 2, trials: 1)]) == [2])
    }
}
