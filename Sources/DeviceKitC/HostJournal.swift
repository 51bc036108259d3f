import Delivery
import DeviceKit
import Messages

/// Tells the host what happened, one JSON object a line.
struct HostJournal: Journal {
    struct Functions: @unchecked Sendable {
        let context: UnsafeMutableRawPointer?
        let log: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Void
    }

    let functions: Functions

    func record(_ entry: JournalEntry) {
        let line = JSONWriter.object {
            $0.member("event", entry.step.rawValue)
            $0.member("job", entry.job?.description)
            $0.member("epoch", entry.epoch)
            $0.member("detail", entry.detail)
        }
        String(decoding: line, as: UTF8.self).withCString { functions.log(functions.context, $0) }
    }
}
