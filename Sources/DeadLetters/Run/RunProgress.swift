import Operations

/// How far a run has come: `[======>             ] 31,000 of 100,000, 498/s, 2m18s left`.
public struct RunProgress: Sendable {
    private let total: Int
    private let began: ContinuousClock.Instant

    public init(total: Int, at began: ContinuousClock.Instant = .now) {
        self.total = total
        self.began = began
    }

    public func text(_ done: Int, at now: ContinuousClock.Instant = .now) -> String {
        let share = total > 0 ? min(1, Double(done) / Double(total)) : 1
        let filled = Int(share * 20)
        let bar = String(repeating: "=", count: filled) + (filled < 20 ? ">" : "")
        let room = String(repeating: " ", count: 20 - bar.count)
        let seconds = (now - began) / .seconds(1)
        let rate = seconds > 0 ? Double(done) / seconds : 0
        var text = "[\(bar)\(room)] \(NumberText.grouped(done)) of \(NumberText.grouped(total))"
        if rate > 0 {
            let left = Duration.seconds(Double(max(0, total - done)) / rate)
            text += ", \(NumberText.rate(rate))/s, \(AgeText.format(left)) left"
        }
        return text
    }
}
