public import DeviceKit
import Glibc

extension SQLiteStore {
    /// Moves a damaged file and what belongs to it out of the way, and returns its new path. The host asks its user first:
    /// the next store at that path is empty, so the phone enrols anew and the listing brings back what is not acknowledged.
    /// Nothing is deleted: receipts may still be read from the file that was moved.
    public static func setAside(path: String, now: Int64) throws(WorkStoreError) -> String {
        let aside = "\(path).damaged-\(now)"
        // The database itself last: as long as it is in its place, the move can be done again.
        for suffix in ["-wal", "-shm", ""] where access(path + suffix, F_OK) == 0 {
            guard rename(path + suffix, aside + suffix) == 0 else { throw .failed("cannot move \(path)\(suffix)") }
        }
        return aside
    }
}
