import Delivery
import DeviceKit
import Glibc
import Messages
import Synchronization

/// Writes one JSON object a line: what a phone did, when (epoch milliseconds), and who it is.
public final class FleetJournal: Sendable {
    private let write: @Sendable ([UInt8]) -> Void
    private let lock = Mutex(())

    /// `write` gets whole lines, one at a time.
    public init(write: @escaping @Sendable ([UInt8]) -> Void) { self.write = write }

    /// To standard output.
    public static func standardOutput() -> FleetJournal {
        FleetJournal { line in
            var rest = line[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    func line(_ members: (inout JSONWriter) -> Void) {
        let line = JSONWriter.object(members) + [UInt8(ascii: "\n")]
        lock.withLock { _ in write(line) }
    }

    /// The journal of one phone.
    func phone(_ name: PhoneName) -> PhoneJournal { PhoneJournal(name: name, journal: self) }
}

/// Who a phone is in journals.
struct PhoneName: Sendable {
    var account: String
    var platform: Platform
    /// From 0, among the account's phones of that platform.
    var number: Int
}

/// Adds the phone to what its kit records.
struct PhoneJournal: Journal {
    let name: PhoneName
    let journal: FleetJournal
    /// Known once the identity is loaded or made.
    var device: Identifier?

    func record(_ entry: JournalEntry) {
        record(
            entry.step.rawValue, job: entry.job, digest: entry.digest, epoch: entry.epoch, detail: entry.detail)
    }

    func record(
        _ event: String, job: Identifier? = nil, digest: String? = nil, epoch: Int64? = nil, detail: String? = nil
    ) {
        journal.line {
            $0.member("event", event)
            $0.member("at", SystemClock().wall())
            $0.member("account", name.account)
            $0.member("platform", name.platform.rawValue)
            $0.member("phone", name.number)
            $0.member("device", device?.description)
            $0.member("job", job?.description)
            $0.member("digest", digest)
            $0.member("epoch", epoch)
            $0.member("detail", detail)
        }
    }
}
