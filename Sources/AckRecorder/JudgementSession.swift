import Delivery
import Postgres

/// A set-aside token whose judgement is due.
struct Suspect: Equatable {
    var token: Int64
    var route: Int16
    var trials: Int
    var routeAnswers: TokenJudgement.Answers
    var instanceAnswers: TokenJudgement.Answers
}

extension Suspect {
    init(_ row: Row) throws(PostgresError) {
        token = try row["token_id"]
        route = try row["route"]
        trials = try row["trials"]
        routeAnswers = TokenJudgement.Answers(
            answers: try row["route_answers"], acceptances: try row["route_acceptances"],
            suspicions: try row["route_suspicions"])
        instanceAnswers = TokenJudgement.Answers(
            answers: try row["instance_answers"], acceptances: try row["instance_acceptances"],
            suspicions: try row["instance_suspicions"])
    }
}

/// What one transaction decides about the tokens it holds, which come oldest first.
struct JudgementSession {
    private let rule: TokenJudgement
    private(set) var cleared: [Int64] = []
    private var kept: [Suspect] = []

    init(_ rule: TokenJudgement) { self.rule = rule }

    var count: Int { cleared.count + kept.count }
    var keptByRoute: [Int16: Int] { kept.reduce(into: [:]) { $0[$1.route, default: 0] += 1 } }

    mutating func add(_ suspect: Suspect) {
        switch rule.verdict(route: suspect.routeAnswers, instance: suspect.instanceAnswers) {
        case .clear: cleared.append(suspect.token)
        case .keep: kept.append(suspect)
        }
    }

    /// Kept ones that may send one hint now.
    var tried: [Suspect] {
        let byRoute = Dictionary(grouping: kept, by: \.route)
        let tokens = Set(
            byRoute.values.flatMap { suspects in rule.trials(of: suspects.map { (token: $0.token, trials: $0.trials) })
            })
        return kept.filter { tokens.contains($0.token) }
    }

    func statement(trial: Duration) -> Statement {
        let tried = tried
        let untried = kept.filter { suspect in !tried.contains { $0.token == suspect.token } }
        func again(_ suspects: [Suspect]) -> [Duration] { suspects.map { rule.nextDelay(trials: $0.trials) } }
        return """
            SELECT delivery.judge_tokens(\(cleared), \(tried.map(\.token)), \(untried.map(\.token)), \(again(tried)),
                                         \(again(untried)), \(trial))
            """
    }
}
