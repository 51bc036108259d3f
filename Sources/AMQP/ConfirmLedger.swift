/// Which published messages of one channel the broker has not yet confirmed. A pure value: delivery tags in, settled
/// tags out.
///
/// Tags count from 1 per channel. A `basic.return` carries no tag: it precedes the ack of its message, and is matched
/// to the oldest outstanding publish of its message id.
public struct ConfirmLedger: Equatable, Sendable {
    public enum Verdict: Equatable, Sendable {
        case confirmed
        case nacked
        case returned(code: UInt16, text: String)
    }

    public struct Settled: Equatable, Sendable {
        public let tag: UInt64
        public let verdict: Verdict

        public init(tag: UInt64, verdict: Verdict) {
            self.tag = tag
            self.verdict = verdict
        }
    }

    private struct Entry: Equatable, Sendable {
        let messageID: String
        var returned: Verdict?
        var isSettled = false
    }

    /// `entries[head + n]` is tag `lowest + n`; everything before `head` is settled and awaits removal.
    private var entries: [Entry] = []
    private var head = 0
    private var lowest: UInt64 = 1
    public private(set) var outstanding = 0

    public init() {}

    /// A message was written; returns its tag.
    public mutating func published(messageID: String) -> UInt64 {
        entries.append(Entry(messageID: messageID))
        outstanding += 1
        return lowest + UInt64(entries.count - head - 1)
    }

    /// `multiple` settles every outstanding tag up to and including `tag`.
    public mutating func acked(_ tag: UInt64, multiple: Bool) -> [Settled] {
        settle(tag, multiple: multiple) { $0.returned ?? .confirmed }
    }

    public mutating func nacked(_ tag: UInt64, multiple: Bool) -> [Settled] {
        settle(tag, multiple: multiple) { _ in .nacked }
    }

    /// Returns false if no outstanding publish has that id.
    public mutating func returned(messageID: String, code: UInt16, text: String) -> Bool {
        let open = entries[head...].firstIndex {
            !$0.isSettled && $0.returned == nil && $0.messageID == messageID
        }
        guard let open else { return false }
        entries[open].returned = .returned(code: code, text: text)
        return true
    }

    /// The channel is gone: returns the tags whose fate nobody knows, and starts again at tag 1.
    public mutating func closed() -> [UInt64] {
        var open: [UInt64] = []
        for index in head..<entries.count where !entries[index].isSettled {
            open.append(lowest + UInt64(index - head))
        }
        self = ConfirmLedger()
        return open
    }

    private mutating func settle(_ tag: UInt64, multiple: Bool, _ verdict: (Entry) -> Verdict) -> [Settled] {
        let next = lowest + UInt64(entries.count - head)
        // Tag 0 with `multiple` means all; tags that were never given or are settled already find nothing.
        let last = tag == 0 && multiple ? next - 1 : tag
        guard last >= lowest, last < next else { return [] }
        var settled: [Settled] = []
        for each in (multiple ? lowest : last)...last {
            let index = head + Int(each - lowest)
            guard !entries[index].isSettled else { continue }
            settled.append(Settled(tag: each, verdict: verdict(entries[index])))
            entries[index].isSettled = true
        }
        outstanding -= settled.count
        forgetSettled()
        return settled
    }

    private mutating func forgetSettled() {
        while head < entries.count, entries[head].isSettled {
            head += 1
            lowest += 1
        }
        if head > 1024, head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }
}
