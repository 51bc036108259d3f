import Delivery
import Messages

/// What is known of every hint while a test runs. Readers of database, broker and providers each tell it what they see.
actor Ledger {
    private(set) var table: HintTable
    /// Epoch microseconds of the start; arrivals count from it.
    let epoch: Int64
    private(set) var tally = Tally()
    /// Of the hints accepted since somebody last took it.
    private var recent = Histogram()
    private var all = Histogram()
    /// Only of entries that have some.
    private(set) var explanations: [Identifier: Explanation] = [:]
    private var seenBatches: Set<String> = []
    /// Requests about hints that are not of this test, by job and token.
    private(set) var strangers: [String] = []

    /// How many hints came how far.
    struct Tally: Equatable, Sendable {
        var committed = 0
        var published = 0
        var sent = 0
        var accepted = 0
        var requests = 0
        var refused = 0
    }

    /// Why a provider may have accepted an entry more than once (decision 3).
    struct Explanation: Equatable, Sendable {
        var ambiguous = 0
        var redelivered = 0
    }

    init(_ table: HintTable, epoch: Int64) {
        self.table = table
        self.epoch = epoch
    }

    /// Jobs by their index, committed at that epoch microsecond.
    func committed(_ jobs: [Int], at: Int64) {
        for job in jobs where table.committed[job] == 0 {
            table.committed[job] = max(1, at - epoch)
            tally.committed += table.places(of: job).count
        }
    }

    func published(_ job: Identifier, device: Identifier, at: Int64) {
        guard let place = table.place(job, device: device), table.hints[place].published == 0 else { return }
        table.hints[place].published = max(1, at - epoch)
        tally.published += 1
    }

    func answered(_ answers: [Answer]) {
        for answer in answers {
            tally.requests += 1
            guard let place = table.place(answer.job, token: answer.token) else {
                if strangers.count < 100 { strangers.append("\(answer.job) \(answer.token)") }
                continue
            }
            if table.hints[place].sent == 0 {
                table.hints[place].sent = max(1, answer.at - epoch)
                tally.sent += 1
            }
            switch answer.status {
            case 200: accepted(place, answer)
            // Unregistered at APNs, UNREGISTERED at FCM.
            case 404, 410:
                table.hints[place].refusals = table.hints[place].refusals &+ 1
                tally.refused += 1
            default: tally.refused += 1
            }
        }
    }

    private func accepted(_ place: Int, _ answer: Answer) {
        if table.hints[place].acceptances < .max { table.hints[place].acceptances += 1 }
        guard table.hints[place].accepted == 0, let job = table.job(answer.job) else { return }
        let at = max(1, answer.at + answer.delay * 1000 - epoch)
        table.hints[place].accepted = at
        tally.accepted += 1
        recent.record(at - table.arrivals[job].at)
    }

    /// `id` is the message's, which comes again when a connection breaks.
    func reported(_ outcomes: [Outcome], message id: String) {
        let telling = outcomes.filter { $0.redelivered || $0.kind == .ambiguous }
        guard !telling.isEmpty, seenBatches.insert(id).inserted else { return }
        for outcome in telling {
            var explanation = explanations[outcome.entry] ?? Explanation()
            explanation.ambiguous += outcome.kind == .ambiguous ? 1 : 0
            explanation.redelivered += outcome.redelivered ? 1 : 0
            explanations[outcome.entry] = explanation
        }
    }

    /// Latency to the acceptance: of the hints accepted since the last call, and of all.
    func takeRecent() -> (recent: Histogram, all: Histogram) {
        all.merge(recent)
        defer { recent = Histogram() }
        return (recent, all)
    }

    func intended(by at: Int64) -> Int { table.intended(by: at) }
}
