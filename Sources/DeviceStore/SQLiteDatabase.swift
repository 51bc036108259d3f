import CSQLite
import DeviceKit

/// One connection to one database file; used by one owner at a time.
final class SQLiteDatabase {
    private let handle: OpaquePointer

    /// Makes the file if it is not there. WAL with `synchronous=FULL`: what was committed survives a power cut.
    init(path: String) throws(WorkStoreError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw SQLiteDatabase.error(code, reason)
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, 5_000)
        try script("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;")
    }

    deinit { sqlite3_close_v2(handle) }

    func script(_ sql: String) throws(WorkStoreError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Runs one statement and returns its rows.
    @discardableResult
    func run(_ sql: String, _ values: [SQLiteValue] = []) throws(WorkStoreError) -> [SQLiteRow] {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() { try check(value.bind(to: statement, at: Int32(index + 1))) }
        var rows: [SQLiteRow] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(SQLiteRow(reading: statement))
            case SQLITE_DONE: return rows
            case let code: throw SQLiteDatabase.error(code, message)
            }
        }
    }

    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// All of it or nothing of it; takes the write lock at once, so that no reader has to become a writer.
    func transaction<Result>(_ body: () throws(WorkStoreError) -> Result) throws(WorkStoreError) -> Result {
        try script("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try script("COMMIT")
            return result
        } catch {
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    private var message: String { String(cString: sqlite3_errmsg(handle)) }

    private func check(_ code: Int32) throws(WorkStoreError) {
        guard code == SQLITE_OK else { throw SQLiteDatabase.error(code, message) }
    }

    private static func error(_ code: Int32, _ reason: String) -> WorkStoreError {
        switch code & 0xFF {
        case SQLITE_FULL: .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(reason)
        case SQLITE_CONSTRAINT: .conflict
        default: .failed(reason)
        }
    }
}
