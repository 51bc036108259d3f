import Delivery

/// What became of one job, from the database and from what reached the integrator.
struct JobFate: Equatable, Sendable {
    let job: Identifier
    /// Rows of accepted submissions, and how often the lease's history says that one was accepted.
    var submissions = 1
    var submitted = 1
    var acknowledged = 0
    /// Different receipts among those that devices gave evidence of.
    var receipts = 1
    var isComplete = true
    /// How often it was announced as completed, by id of the event.
    var completions = 1
    /// Message ids that reached the integrator, by recipient: one id is one effect, however often it came.
    var effects: [String: Set<String>] = [:]

    /// What should not be, in words.
    func faults(devices: Int, recipients: [String]) -> [String] {
        var faults: [String] = []
        if submissions != 1 || submitted != 1 {
            faults.append("\(submissions) submissions, accepted \(submitted) times")
        }
        if acknowledged != devices { faults.append("\(acknowledged) of \(devices) devices acknowledged") }
        if receipts != 1 { faults.append("\(receipts) different receipts") }
        if !isComplete { faults.append("not complete") }
        if completions != 1 { faults.append("announced as completed \(completions) times") }
        for recipient in recipients where effects[recipient]?.count != 1 {
            faults.append("\(effects[recipient]?.count ?? 0) effects for \(recipient)")
        }
        for recipient in effects.keys.sorted() where !recipients.contains(recipient) {
            faults.append("an effect for \(recipient), whom nobody named")
        }
        return faults.map { "job \(job): \($0)" }
    }
}
