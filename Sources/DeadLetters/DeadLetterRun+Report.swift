import Messages
import Operations

extension DeadLetterRun.Result {
    /// What a replay would do; ends with a line break.
    public func previewText() -> String {
        text("would be replayed", "would be skipped")
    }

    public func text(_ action: DeadLetterRun.Action) -> String {
        let line = audit.map { "line \($0) of the audit\n" } ?? ""
        guard action == .replay else { return "discarded \(NumberText.counted(discarded, "letter"))\n" + line }
        return text("replayed", "skipped") + line
    }

    private func text(_ replayedWords: String, _ skippedWords: String) -> String {
        var lines = ["\(NumberText.counted(replayed, "hint")) \(replayedWords)"]
        for verdict in ReplayVerdict.allCases where verdict != .replay {
            guard let number = verdicts[verdict], number > 0 else { continue }
            lines.append("\(NumberText.counted(number, "letter")) \(skippedWords): \(verdict.words)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    public func json(_ action: DeadLetterRun.Action) -> [UInt8] {
        JSONWriter.object { object in
            object.member("command", action.command)
            object.member("dry_run", audit == nil)
            if action == .replay {
                object.member("replayed", replayed)
                object.key("skipped")
                object.object { skipped in
                    for verdict in ReplayVerdict.allCases where verdict != .replay {
                        if let number = verdicts[verdict] { skipped.member(verdict.rawValue, number) }
                    }
                }
            } else {
                object.member("discarded", discarded)
            }
            object.member("interrupted", isInterrupted)
            object.member("audit", audit)
        }
    }
}
