import Glibc
import Synchronization

/// Shows a running test on standard error: redrawn in place on a terminal, a plain line every few seconds elsewhere.
public final class LiveDisplay: Sendable {
    private struct State {
        var before: Sample?
        var shown: Sample?
        var drawn = 0
    }

    private let view: LiveView
    private let isTerminal: Bool
    private let state = Mutex(State())
    /// Seconds between plain lines.
    private static let pause = 5.0

    public init(_ plan: LoadPlan, title: String = "", isTerminal: Bool) {
        view = LiveView(plan: plan, title: title)
        self.isTerminal = isTerminal
    }

    public func show(_ sample: Sample) {
        let text: String? = state.withLock { state in
            defer { state.before = sample }
            if isTerminal {
                let lines = view.screen(sample, after: state.before)
                // Up to the first line of the last picture, and each line cleared before it is written.
                let up = state.drawn > 0 ? "\u{1B}[\(state.drawn)A" : ""
                let rest = state.drawn > lines.count ? "\u{1B}[J" : ""
                state.drawn = lines.count
                return up + rest + lines.map { "\u{1B}[2K\($0)\n" }.joined()
            }
            guard sample.at - (state.shown?.at ?? 0) >= Self.pause || !sample.strikes.isEmpty else { return nil }
            defer { state.shown = sample }
            return view.line(sample, after: state.shown) + "\n"
        }
        guard let text else { return }
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
