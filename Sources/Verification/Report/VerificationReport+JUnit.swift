extension VerificationReport {
    /// One test case a step, as build servers read it.
    public var junit: String {
        let failures = outcomes.count { $0.problem != nil }
        let skipped = outcomes.count { !$0.wasDone }
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuite name="\#(MarkupText.escape(title))" tests="\#(outcomes.count)" failures="\#(failures)" skipped="\#(skipped)">"#,
        ]
        for outcome in outcomes {
            let name = MarkupText.escape(outcome.step.name)
            lines.append(#"  <testcase classname="verification" name="\#(name)" time="\#(outcome.seconds)">"#)
            if let problem = outcome.problem {
                lines.append(#"    <failure message="\#(MarkupText.escape(problem))"/>"#)
            } else if !outcome.wasDone {
                lines.append("    <skipped/>")
            }
            lines.append("    <system-out>\(MarkupText.escape(outcome.seen.joined(separator: "\n")))</system-out>")
            lines.append("  </testcase>")
        }
        lines.append("</testsuite>\n")
        return lines.joined(separator: "\n")
    }
}
