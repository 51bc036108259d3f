/// The sum that has to come out: committed = accepted + failed + expired + superseded + cancelled + no_token + due (of which
/// deferred) + in flight; and whoever spoils it, by id.
struct Conservation: Equatable, Sendable {
    private(set) var committed = 0
    /// Ends by the word that the database has for them.
    private(set) var ends: [String: Int] = [:]
    private(set) var due = 0
    private(set) var deferred = 0
    private(set) var inFlight = 0
    private(set) var acceptances = 0
    /// Acceptances beyond the first that decision 3 explains.
    private(set) var allowedDoubles = 0
    private(set) var findings: [Finding] = []

    static let endWords = ["accepted", "failed", "expired", "superseded", "cancelled", "no_token"]

    mutating func add(_ fate: HintFate) {
        committed += 1
        acceptances += fate.acceptances
        if fate.state == "pending" {
            switch fate.standing {
            case .none: break
            case .due: due += 1
            case .deferred:
                due += 1
                deferred += 1
            case .inFlight: inFlight += 1
            }
        } else if fate.entry != nil {
            ends[fate.state, default: 0] += 1
        }
        if let finding = Self.finding(fate) { findings.append(finding) }
        if let finding = Self.double(fate) {
            findings.append(finding)
        } else {
            allowedDoubles += max(0, fate.acceptances - 1)
        }
    }

    mutating func add(_ finding: Finding) { findings.append(finding) }

    func end(_ word: String) -> Int { ends[word] ?? 0 }

    var sum: Int { Self.endWords.reduce(due + inFlight) { $0 + end($1) } }

    var isKept: Bool { findings.isEmpty && sum == committed }

    func count(_ kind: Finding.Kind) -> Int { findings.count { $0.kind == kind } }

    /// Hints that still have to come to their end.
    var open: Int { due + inFlight }

    private static func finding(_ fate: HintFate) -> Finding? {
        guard fate.entry != nil else {
            return Finding(.lost, fate, "committed, and the database has no hint for the device")
        }
        switch fate.state {
        case "accepted":
            return fate.acceptances > 0
                ? nil : Finding(.lost, fate, "recorded as accepted, but no provider accepted it")
        case "pending":
            return fate.standing == .none ? Finding(.lost, fate, "pending, and nothing will ever publish it") : nil
        case "failed":
            if fate.reason == "token" || fate.reason == "token_disputed", fate.refusals > 0 || fate.hasDeadToken {
                return nil
            }
            if fate.reason == "exhausted", fate.failures > 0 { return nil }
            return Finding(.unexplained, fate, "failed (\(fate.reason)) after \(fate.failures) charged failures")
        case "no_token" where fate.hasDeadToken: return nil
        case "superseded" where fate.isDeviceDone: return nil
        case "expired" where fate.isLate: return nil
        default: return Finding(.unexplained, fate, "ended \(fate.state) for no reason that the test gave")
        }
    }

    private static func double(_ fate: HintFate) -> Finding? {
        let bound = 1 + fate.ambiguous + fate.redelivered + fate.silences
        guard fate.acceptances > bound else { return nil }
        return Finding(
            .doubled, fate, "accepted \(fate.acceptances) times by the provider, \(bound) at most are explained")
    }
}
