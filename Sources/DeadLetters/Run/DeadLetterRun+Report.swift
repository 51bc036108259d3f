import Messages
import Operations

extension DeadLetterRun.Result {
    /// What a replay would do; ends with a line break.
    public func previewText() -> String {
        text("would be replayed", "would be skipped")
    }

    public func text(_ action: DeadLetterRun.Action) -> String {
        let line = audit.map { "line \($0) of the audit\n" } ?? ""
        let copies =
            removed > 0
            ? "\(NumberText.counted(removed, "copy", "copies")) of closed letters taken out of their queues\n" : ""
        guard action == .replay else {
            return "discarded \(NumberText.counted(discarded, "letter"))\n" + copies + line
        }
        return text("replayed", "skipped") + copies + line
    }

    /// After `dead sweep`.
    public func sweepText() -> String {
        "\(NumberText.counted(removed, "copy", "copies")) of closed letters taken out of the dead-letter queues\n"
            + (audit.map { "line \($0) of the audit\n" } ?? "")
    }

    private func text(_ replayedWords: String, _ skippedWords: String) -> String {
        var lines: [String] = []
        if replayed > 0 || messages == 0 { lines.append("\(NumberText.counted(replayed, "hint")) \(replayedWords)") }
        if messages > 0 {
            lines.append("\(NumberText.counted(messages, "message")) \(replayedWords) byte for byte")
        }
        for verdict in ReplayVerdict.allCases where verdict != .replay {
            let number = (verdicts[verdict] ?? 0) - (verdict == .message ? messages : 0)
            guard number > 0 else { continue }
            lines.append("\(NumberText.counted(number, "letter")) \(skippedWords): \(words(verdict))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// With some of its kind replayed, a message was not left for want of a broker.
    private func words(_ verdict: ReplayVerdict) -> String {
        verdict == .message && messages > 0
            ? "not in its queue now, or nobody can say which queue failed it" : verdict.words
    }

    public func json(_ action: DeadLetterRun.Action) -> [UInt8] {
        JSONWriter.object { object in
            object.member("command", action.command)
            object.member("dry_run", audit == nil)
            if action == .replay {
                object.member("replayed", replayed)
                object.member("messages", messages)
                object.key("skipped")
                object.object { skipped in
                    for verdict in ReplayVerdict.allCases where verdict != .replay {
                        let number = (verdicts[verdict] ?? 0) - (verdict == .message ? messages : 0)
                        if number > 0 { skipped.member(verdict.rawValue, number) }
                    }
                }
            } else {
                object.member("discarded", discarded)
            }
            object.member("removed", removed)
            object.member("interrupted", isInterrupted)
            object.member("audit", audit)
        }
    }
}
