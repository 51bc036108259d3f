extension VerificationReport {
    private static let style = """
        body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1c1e;background:#fff}
        h2{margin-top:2.5rem}.passed{color:#18794e}.failed{color:#c0322f}.skipped{color:#777}
        div{overflow-x:auto}svg{width:100%;min-width:45rem;height:auto;border:1px solid #ddd;border-radius:6px;margin:.5rem 0}
        svg line{stroke:#bbb}svg circle{fill:#2563eb}svg text{font:11px system-ui,sans-serif;fill:#333}
        svg .event{font-size:8px}svg .axis{fill:#777}ul{padding-left:1.2rem}code{font-size:.9em}
        @media(prefers-color-scheme:dark){body{color:#eee;background:#161618}svg{border-color:#444}svg text{fill:#ddd}}
        """

    /// One file that needs nothing else: every step, what it saw, and a picture of each of its jobs.
    public var page: String {
        var lines = [
            "<!DOCTYPE html>", #"<html lang="en"><head><meta charset="utf-8">"#,
            #"<meta name="viewport" content="width=device-width">"#,
            "<title>\(MarkupText.escape(title))</title>", "<style>\(VerificationReport.style)</style></head><body>",
            "<h1>\(MarkupText.escape(title))</h1>",
        ]
        for outcome in outcomes { lines += section(outcome) }
        lines.append("</body></html>\n")
        return lines.joined(separator: "\n")
    }

    private func section(_ outcome: StepOutcome) -> [String] {
        let (kind, verdict) =
            outcome.problem != nil
            ? ("failed", "failed") : outcome.wasDone ? ("passed", "passed") : ("skipped", "not done")
        var lines = [
            "<section><h2>\(outcome.step.rawValue). \(MarkupText.escape(outcome.step.title))</h2>",
            "<p class=\"\(kind)\">\(verdict), \(outcome.seconds) s</p>",
        ]
        if let problem = outcome.problem { lines.append("<p class=\"failed\">\(MarkupText.escape(problem))</p>") }
        if !outcome.seen.isEmpty {
            let items = outcome.seen.map { "<li>\(MarkupText.escape($0))</li>" }.joined()
            lines.append("<details><summary>What was seen</summary><ul>\(items)</ul></details>")
        }
        for timeline in outcome.timelines {
            lines.append("<h3><code>\(timeline.job)</code> \(MarkupText.escape(timeline.purpose))</h3>")
            lines.append("<div>\(timeline.picture)</div>")
        }
        lines.append("</section>")
        return lines
    }
}
