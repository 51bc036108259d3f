import DeadLetters
import Delivery
public import LocalStack
import Messages
import Operations
import Postgres

/// `bench dead`: the first page of `dead list` over many dead letters, by each filter, beside the bare query on the index of
/// that filter, which asks for the same rows and knows where they are.
public struct DeadBenchmark: Sendable {
    /// Open dead letters.
    public var letters = 1_000_000
    /// Pages of each filter in a round.
    public var pages = 50
    public var rounds = 5

    private static let page = 20
    private static let goal = Report.Goal.atMost(3)

    public init() {}

    public func run(on servers: Servers, _ programs: Programs) async throws -> Report {
        try await OutboxSite.with(servers, programs, name: "bench_dead") { site in
            let sample = try await DeadLetterFiller(database: site.owner).write(letters)
            let operatorSettings = try ConnectionSettings(url: site.stack.databaseURL(as: "md_operator"))
            let database = Database(operatorSettings, connections: 1)
            var reports: [Report] = []
            for filter in ListingFilter.all(sample) {
                var rounds: [Report.Round] = []
                // What is not in memory yet belongs to neither.
                _ = try await measure(filter, database)
                for _ in 0..<self.rounds { rounds.append(try await measure(filter, database)) }
                reports.append(
                    Report(
                        "dead", compares: "first page by \(filter.name) ÷ the bare indexed query", unit: "µs",
                        goal: Self.goal, rounds: rounds))
            }
            await database.close()
            // The worst one is the figure; a page by any filter has to be quick.
            reports.sort { $0.ratio > $1.ratio }
            var report = reports.removeFirst()
            report.also = reports
            report.settings = [
                Report.Fact("letters", .integer(Int64(letters))), Report.Fact("page", .integer(Int64(Self.page))),
                Report.Fact("pages", .integer(Int64(pages))),
            ]
            report.versions = try await site.versions()
            return report
        }
    }

    /// Microseconds a page, and a bare query; they take turns.
    private func measure(_ filter: ListingFilter, _ database: Database) async throws -> Report.Round {
        let index = DeadLetterIndex(database)
        var page = Duration.zero
        var bare = Duration.zero
        let clock = ContinuousClock()
        for _ in 0..<pages {
            try Task.checkCancellation()
            var found = 0
            bare += try await clock.measure {
                found = try await database.query(
                    "SELECT l.* FROM delivery.dead_letter l WHERE l.state = 'open' \(unescaped: filter.condition)",
                    within: .seconds(60)
                ).count
            }
            page += try await clock.measure {
                let letters = try await index.page(filter.filter, atMost: Self.page)
                guard letters.count == found, found > 0 else {
                    throw Unusable("the page by \(filter.name) has \(letters.count) letters, the bare query \(found)")
                }
            }
        }
        return Report.Round(
            value: page / .microseconds(1) / Double(pages), baseline: bare / .microseconds(1) / Double(pages))
    }
}
