import FoundationEssentials

/// Prints what happens to the demonstration's jobs, in words for people.
struct DemoTimeline {
    let console: Console
    let start = Date()
    /// Document type by job.
    var jobs: [String: String] = [:]
    /// What stands for a device: its platform.
    var devices: [String: String] = [:]
    private(set) var seen: [String: Set<TimelineEvent.Step>] = [:]

    init(console: Console) { self.console = console }

    mutating func show(_ event: TimelineEvent) {
        guard let type = jobs[event.job] else { return }
        seen[event.job, default: []].insert(event.step)
        let seconds = event.at.timeIntervalSince(start)
        let time = Console.column(Self.text(seconds), 9)
        let step = Console.column(event.step.rawValue, 21)
        let who = Console.column(event.device.map { devices[$0] ?? String($0.prefix(8)) } ?? "", 8)
        let colour: Console.Colour = event.step == .completed ? .green : .cyan
        console.write(
            "\(console.coloured(time, .dim)) \(Console.column(type, 12)) \(console.coloured(step, colour)) \(who) "
                + console.coloured(event.detail, .dim))
    }

    /// Jobs that are not complete yet.
    var open: [String] { jobs.keys.filter { seen[$0]?.contains(.completed) != true } }

    /// Steps that nobody saw although the job is complete.
    func missing(_ job: String) -> [TimelineEvent.Step] {
        TimelineEvent.Step.allCases.filter { seen[job]?.contains($0) != true }
    }

    private static func text(_ seconds: Double) -> String {
        let milliseconds = Int((seconds * 1000).rounded())
        let rest = String(abs(milliseconds) % 1000)
        let sign = milliseconds < 0 ? "-" : "+"
        return "\(sign)\(abs(milliseconds) / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest) s"
    }
}
