import Delivery
import Messages

/// How one step ended.
public struct StepOutcome: Sendable {
    public let step: VerificationStep
    public var seen: [String] = []
    public var problem: String?
    public var time = Duration.zero
    /// False: an earlier step failed.
    public var wasDone = false
    public var timelines: [JobTimeline] = []

    /// With three digits after the point.
    var seconds: String {
        let milliseconds = Int64(time / .milliseconds(1))
        return "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
    }
}

/// What a verification found, for people and for machines.
public struct VerificationReport: Sendable {
    public let title: String
    public private(set) var outcomes: [StepOutcome] = []

    public init(title: String) { self.title = title }

    public mutating func add(_ outcome: StepOutcome) { outcomes.append(outcome) }

    public var failure: StepOutcome? { outcomes.first { $0.problem != nil } }
    public var hasFailed: Bool { failure != nil }
    public var hasPassed: Bool { !outcomes.isEmpty && outcomes.allSatisfy { $0.wasDone && $0.problem == nil } }

    public var text: String {
        var lines = [title]
        for outcome in outcomes {
            let verdict = outcome.problem != nil ? "FAILED" : outcome.wasDone ? "passed" : "not done"
            lines.append(
                "\(verdict)\(String(repeating: " ", count: 9 - verdict.count))\(outcome.step.name) (\(outcome.seconds) s)"
            )
            if let problem = outcome.problem { lines.append("         \(problem)") }
        }
        return lines.joined(separator: "\n")
    }

    public var json: [UInt8] {
        JSONWriter.object {
            $0.member("title", title)
            $0.member("passed", hasPassed)
            $0.key("steps")
            $0.array { list in
                for outcome in outcomes {
                    list.object {
                        $0.member("step", outcome.step.rawValue)
                        $0.member("name", outcome.step.title)
                        $0.member("done", outcome.wasDone)
                        $0.member("problem", outcome.problem)
                        $0.member("milliseconds", Int64(outcome.time / .milliseconds(1)))
                        $0.key("seen")
                        $0.array { lines in for line in outcome.seen { lines.string(line) } }
                        $0.key("jobs")
                        $0.array { jobs in for timeline in outcome.timelines { jobs.value(timeline.value) } }
                    }
                }
            }
        }
    }
}

extension JobTimeline {
    fileprivate var value: JSONValue {
        .object([
            "job": .string(job.description), "purpose": .string(purpose),
            "events": .array(
                events.map { event in
                    .object([
                        "at": .integer(event.at), "lane": .string(event.lane), "what": .string(event.what),
                        "detail": .string(event.detail),
                    ])
                }),
        ])
    }
}
