import Delivery
public import Operations
public import Postgres

/// `dead show`: what happened to one message, in words.
public struct DeadLetterExplanation: Sendable {
    private let letter: DeadLetter
    private let circumstances: LetterCircumstances
    private let now: Timestamp

    public init(_ letter: DeadLetter, _ circumstances: LetterCircumstances, now: Timestamp) {
        self.letter = letter
        self.circumstances = circumstances
        self.now = now
    }

    public func text(style: Style) -> String {
        var lines = [
            style.heading("dead letter \(letter.id), recorded \(AgeText.distance(letter.recordedAt, from: now))")
        ]
        func add(_ name: String, _ value: String?) {
            guard let value else { return }
            lines += "  \(name): \(value.printable)".wrapped(to: style.width, indent: 4)
        }
        add("what happened", Self.cause(letter.reason))
        add("the provider said", said)
        add("failures", failures)
        add("it was for", letter.routingKey ?? letter.exchange)
        add("its message is in", letter.queue == "outbox" ? "no queue: the relay buried it" : letter.queue)
        add("message", letter.type.map { "\($0) \(letter.messageID), seq \(letter.seq)" })
        add("job", letter.job.map { "\($0) (`outbox show` has its history)" })
        add("device", letter.device?.description)
        add("trace", letter.traceparent)
        if letter.repeats > 0 { add("came again", NumberText.counted(letter.repeats, "time")) }
        if letter.state != "open" {
            add("closed", "\(letter.state) \(AgeText.distance(letter.stateAt, from: now))")
        }
        add("the work", circumstances.workText(now: now))
        if let hand = circumstances.pausedByHand { add("its route", "paused \(hand)") }
        if let reason = circumstances.pausedBySenders { add("its route", "paused by its senders: \(reason)") }
        add("does the cause still hold", circumstances.verdict(on: letter, now: now))
        add("a replay now", letter.verdict.words)
        return lines.joined(separator: "\n") + "\n"
    }

    private var said: String? {
        guard letter.status != nil || letter.providerID != nil else { return nil }
        let words = [letter.status.map { "status \($0)" }, letter.providerID.map { "id \($0)" }]
        return words.compactMap(\.self).joined(separator: ", ")
    }

    private var failures: String? {
        guard letter.failures > 0 else { return nil }
        guard let first = letter.firstFailedAt, let last = letter.lastFailedAt else { return "\(letter.failures)" }
        return "\(letter.failures), from \(first.utcText) to \(last.utcText)"
    }

    /// The reasons that services write (decisions 2, 3 and 5, states.md (a) and (c)); others are the broker's.
    static func cause(_ reason: String) -> String {
        let word = String(reason.prefix { $0 != ":" })
        return (causes[word] ?? "the message was given up on") + " (\(reason))"
    }

    private static let causes = [
        "token": "the provider says that the app is gone from the device: an ordinary uninstall",
        "token_disputed": "the provider called the token dead three times, each time from before its registration",
        "exhausted": "the provider failed it until its budget of failures was spent",
        "faulty_request": "the provider says that our request is wrong, which no repetition mends",
        "malformed": "the message could not be read",
        "unknown_version": "the message is of a version that the consumer does not know",
        "delivery_limit": "its consumer died again and again while it had the message: it is what kills it",
        "silent": "published again and again, and no sender ever answered",
        "buried": "the relay could not publish it: it died over it, its body is missing or its headers are too large",
        "expired": "it was too old when it was looked at",
        "rejected": "its consumer rejected it",
        "maxlen": "its queue was full",
    ]
}
