import Daemon
import Delivery
import Messages

/// What one campaign did and found.
public struct CampaignReport: Sendable {
    /// Its name.
    public let fault: String
    public let seed: Int
    public let rounds: Int
    public let took: Duration
    public let violations: [Violation]
    let history: CampaignHistory

    public var hasPassed: Bool { violations.isEmpty }

    /// One line, and one for each of the first violations.
    public var text: String {
        let felt = history.effects.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let again = history.claims.count { $0.seq > 1 }
        let silences = history.entries.reduce(0) { $0 + $1.silences }
        let failed = history.entries.count { $0.state == "failed" }
        let head =
            "\(hasPassed ? "passed" : "FAILED") \(fault) seed \(seed) rounds \(rounds): \(history.entries.count) hints "
            + "(\(failed) failed by senders), "
            + "\(history.events) events, \(again) published again, \(silences) silences; \(felt); \(seconds) s"
        let shown = violations.prefix(20).map { "  \($0)" }
        let more = violations.count > shown.count ? ["  and \(violations.count - shown.count) more"] : []
        return ([head] + shown + more).joined(separator: "\n")
    }

    public var json: [UInt8] {
        JSONWriter.object {
            $0.member("fault", fault)
            $0.member("passed", hasPassed)
            $0.member("seed", seed)
            $0.member("rounds", rounds)
            $0.member("seconds", seconds)
            $0.member("hints", history.entries.count)
            $0.member("failedBySenders", history.entries.count { $0.state == "failed" })
            $0.member("events", history.events)
            $0.member("publishedAgain", history.claims.count { $0.seq > 1 })
            $0.member("silences", history.entries.reduce(0) { $0 + $1.silences })
            $0.key("effects")
            $0.object {
                for (name, count) in history.effects.sorted(by: { $0.key < $1.key }) { $0.member(name, count) }
            }
            $0.key("violations")
            $0.array {
                for violation in violations {
                    $0.object {
                        $0.member("promise", violation.promise.rawValue)
                        $0.member("entry", violation.entry?.description)
                        $0.member("detail", violation.detail)
                    }
                }
            }
        }
    }

    private var seconds: Int { Int(took.components.seconds) }
}
