import AMQP
import LocalStack
import Messages
import Postgres
import TestSupport
import Testing

extension RunningStack {
    /// What ends entries after seconds.
    static let shortBudgets = [
        "MOBILE_DELIVERY_BUDGET_FAILURES": "4", "MOBILE_DELIVERY_BUDGET_SPAN": "100ms",
        "MOBILE_DELIVERY_BACKOFF_BASE": "100ms", "MOBILE_DELIVERY_BACKOFF_CAP": "500ms",
        "MOBILE_DELIVERY_APNS_DEVICE_FLOOR": "100ms", "MOBILE_DELIVERY_COORDINATOR_SWEEP_INTERVAL": "1s",
    ]

    /// `mobile-delivery dead …` as an operator runs it.
    func dead(_ arguments: [String]) async throws -> ProgramRun {
        let environment = [
            "DATABASE_URL": stack.site.databaseURL(as: "md_operator"), "AMQP_URL": stack.site.amqpURL(as: "operator"),
            "MOBILE_DELIVERY_OPERATOR": "anna@test", "MOBILE_DELIVERY_OUTBOX_COUNT_EVERY": "0",
            "MOBILE_DELIVERY_OPERATOR_BROKER_TIMEOUT": "30s",
        ]
        return try await ProgramRun.of(
            try ProgramRun.programs().mobileDelivery, ["dead"] + arguments, environment: environment,
            within: .seconds(90))
    }

    func deadJSON(_ arguments: [String]) async throws -> JSONValue {
        let run = try await dead(arguments + ["--json"])
        #expect(run.termination == .exited(0) && run.complaints == [], "\(run.complaints)")
        return try JSONValue(parsing: Array(run.output.utf8))
    }

    /// The open letters that a filter finds, once there is one.
    func letters(_ filter: [String]) async throws -> [JSONValue] {
        var letters: [JSONValue] = []
        _ = try await eventually(within: .seconds(60)) {
            letters = try await deadJSON(["list"] + filter)["letters"]?.array ?? []
            return !letters.isEmpty
        }
        return letters
    }

    /// Lists the one letter that a filter finds, shows it, and returns its number.
    func only(_ filter: [String], says words: String) async throws -> String {
        let found = try await letters(filter)
        #expect(found.count == 1, "\(filter): \(found)")
        let id = "\(try #require(found.first?["id"]?.integer))"
        let shown = try await dead(["show", id]).output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(shown.contains(words), "\(shown)")
        return id
    }

    /// Requests that a provider got for a job.
    func requests(for job: String) async throws -> Int {
        try await stack.control.journal().count { String(decoding: $0.body, as: UTF8.self).contains(job) }
    }

    func count(_ query: String) async throws -> Int {
        let connection = try await Postgres.Connection.open(Postgres.ConnectionSettings(url: stack.site.databaseURL))
        let number: Int = try await connection.query("SELECT count(*) AS n FROM \(unescaped: query)").one()["n"]
        await connection.close()
        return number
    }

    func execute(_ statement: String) async throws {
        let connection = try await Postgres.Connection.open(Postgres.ConnectionSettings(url: stack.site.databaseURL))
        try await connection.execute("\(unescaped: statement)")
        await connection.close()
    }

    func publish(_ message: Message) async throws {
        let connection = try await AMQP.Connection.open(
            AMQP.ConnectionSettings(url: stack.site.amqpURL), name: "test/dead")
        let result = await connection.publish(message, deadline: .now + .seconds(30))
        await connection.close()
        #expect(result == .confirmed)
    }

    func commitOne() async throws -> String {
        try await stack.commit(
            "RECEIPT", #"{"number":"1","total":"7.40"}"#, account: phones.account, recipients: ["ledger", "archive"])
    }

    /// The phone with an iPhone's hints, which these tests deny.
    static let appleFailed =
        "state = 'failed' AND device_id IN (SELECT device_id FROM delivery.device WHERE platform = 'ios')"
}
