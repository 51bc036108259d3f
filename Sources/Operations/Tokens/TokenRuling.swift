import Messages
public import Postgres

/// An operator's word on the set-aside tokens of a route, when the recorder has too little to go by.
public struct TokenRuling: Sendable {
    public enum Verdict: Sendable {
        /// They are good: back into use.
        case lift
        /// They are dead: out of use, and what waits for them fails unless its device has a newer one.
        case clear
    }

    public struct Result: Equatable, Sendable {
        public let route: String
        /// Set aside when looked at, or ruled on.
        public let tokens: Int
    }

    private let database: Database
    private let actor: String

    public init(_ database: Database, actor: String) {
        self.database = database
        self.actor = actor
    }

    /// What a ruling would be about, from a look that locks nothing. `name` as `route list` has it, or `all`.
    public func preview(_ name: String) async throws -> [Result] {
        var results: [Result] = []
        for route in try await NamedRoute.matching(name, in: database) {
            let tokens: Int64 = try await database.query(
                """
                SELECT count(*) AS n FROM delivery.push_token t JOIN delivery.route_state r
                       USING (provider, environment, app)
                 WHERE t.state = 'set_aside' AND r.route = \(route.number)
                """
            ).one()["n"]
            results.append(Result(route: route.name, tokens: Int(tokens)))
        }
        return results
    }

    /// Each route is a transaction and a line of the audit of its own.
    public func rule(_ verdict: Verdict, _ name: String, reason: String) async throws -> [Result] {
        var results: [Result] = []
        for route in try await NamedRoute.matching(name, in: database) {
            let isLift = verdict == .lift
            let tokens: Int32 = try await database.query(
                "SELECT delivery.rule_on_tokens(\(actor), \(route.number), \(isLift), \(reason)) AS n",
                within: .seconds(300)
            ).one()["n"]
            results.append(Result(route: route.name, tokens: Int(tokens)))
        }
        return results
    }
}

extension [TokenRuling.Result] {
    public var tokens: Int { map(\.tokens).reduce(0, +) }

    /// `12 set-aside tokens`.
    public var countText: String { NumberText.counted(tokens, "set-aside token") }

    /// A line for each route; nil is a look.
    public func text(after verdict: TokenRuling.Verdict?) -> String {
        let end =
            switch verdict {
            case nil: ""
            case .lift: " now back in use"
            case .clear: " now out of use"
            }
        return map { "\($0.route): \(NumberText.counted($0.tokens, "set-aside token"))\(end)\n" }.joined()
    }

    /// One object; `isDone` is false for a look.
    public func json(isDone: Bool) -> [UInt8] {
        JSONWriter.object { object in
            object.member("done", isDone)
            object.key("routes")
            object.array { array in
                for result in self {
                    array.object {
                        $0.member("route", result.route)
                        $0.member("tokens", result.tokens)
                    }
                }
            }
        }
    }
}
