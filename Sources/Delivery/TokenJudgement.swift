/// What happens to a token that a provider called invalid, some time after (decision 5). A wrong topic or key makes a
/// provider call every token invalid; so a token is cleared only if the route, and the very sender that reported it, are
/// seen to work.
public struct TokenJudgement: Equatable, Sendable {
    /// Fewer suspicions than this are believed whatever their share.
    public var believedSuspicions = 10
    /// At most so many tokens of a route are tried at a time.
    public var trialsPerRoute = 9
    /// From the suspicion to its judgement, and to the first trial.
    public var delay: Duration = .seconds(120)
    public var longestDelay: Duration = .seconds(900)

    public init() {}

    /// What a route, or one sender of it, answered since the suspicion.
    public struct Answers: Equatable, Sendable {
        public var answers: Int
        public var acceptances: Int
        public var suspicions: Int

        public init(answers: Int, acceptances: Int, suspicions: Int) {
            self.answers = answers
            self.acceptances = acceptances
            self.suspicions = suspicions
        }
    }

    public enum Verdict: Equatable, Sendable {
        /// The provider is to be believed.
        case clear
        /// Something is wrong with the route or the sender: nothing is cleared, somebody should look.
        case keep
    }

    /// Both must accept something, and in both the suspicions must be few or less than half of the answers.
    public func verdict(route: Answers, instance: Answers) -> Verdict {
        isSound(route) && isSound(instance) ? .clear : .keep
    }

    private func isSound(_ answers: Answers) -> Bool {
        answers.acceptances > 0
            && (answers.suspicions < believedSuspicions || answers.suspicions * 2 < answers.answers)
    }

    /// The wait before the next judgement of a kept token, after so many earlier ones: 2 min, 4, 8, then 15.
    public func nextDelay(trials: Int) -> Duration {
        min(longestDelay, delay * (1 << min(max(0, trials), 16)))
    }

    /// Which of a route's kept tokens are tried now, oldest first. A token that was only just suspected is not: its first
    /// trial comes after another wait. The rest waits.
    public func trials<Token>(of kept: [(token: Token, trials: Int)]) -> [Token] {
        kept.filter { $0.trials > 0 }.prefix(trialsPerRoute).map(\.token)
    }
}
