/// What is done about one request: decided in one piece, then acted out by the servers.
struct Treatment: Sendable {
    var answer: ProviderAnswer
    /// What the script says beyond the answer.
    var action: Action? { boxed?.action }
    /// Nearly always nil, and too large to be copied around as a value.
    private let boxed: Boxed?
    var delayMilliseconds: Int64 = 0
    /// Reaches phones at once.
    var outgoing: [Outgoing] = []
    /// APNs: the first token accepted on a connection opens it for as many streams as configured.
    var opensStreams = false

    private final class Boxed: Sendable {
        let action: Action

        init(_ action: Action) { self.action = action }
    }

    init(answer: ProviderAnswer, action: Action? = nil) {
        self.answer = answer
        boxed = action.map(Boxed.init)
    }

    /// One word or several for the journal.
    var actionText: String? {
        guard let action else { return nil }
        var words: [String] = []
        if delayMilliseconds > 0 { words.append("delay \(delayMilliseconds)") }
        if action.hang { words.append("hang") }
        if let code = action.reset { words.append("reset \(code)") }
        if action.goAway != nil { words.append("goAway") }
        if let streams = action.streams { words.append("streams \(streams)") }
        if action.silence { words.append("silence") }
        if action.disconnect { words.append("disconnect") }
        if action.afterHeaders { words.append("after headers") }
        if action.answer != nil || action.html != nil { words.append("answer") }
        if action.split { words.append("split") }
        if action.drop { words.append("drop") }
        if action.deliver { words.append("deliver") }
        if action.twice { words.append("twice") }
        if action.deprioritise { words.append("deprioritise") }
        if action.expire != nil { words.append("expire") }
        if action.revokeAccessTokens { words.append("revokeAccessTokens") }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}
