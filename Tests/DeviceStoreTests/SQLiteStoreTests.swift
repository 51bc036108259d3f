import CSQLite
import Delivery
import DeviceKit
import DeviceStore
import FoundationEssentials
import Messages
import Testing

@Suite struct SQLiteStoreTests {
    @Test func `what was stored is there after the file is opened again`() async throws {
        try await withStoreFile { path in
            let row = LocalJob(job: .random(), documentType: .creditNote, origin: .foreground, createdAt: 3)
            _ = try await SQLiteStore(path: path).insert(row)
            #expect(try await SQLiteStore(path: path).job(row.job) == row)
        }
    }

    @Test func `two processes exclude each other by the file`() async throws {
        try await withStoreFile { path in
            let (one, two) = (try SQLiteStore(path: path), try SQLiteStore(path: path))
            let row = LocalJob(job: .random(), documentType: .receipt, origin: .hint, createdAt: 0)
            #expect(try await one.insert(row) == row)
            #expect(try await two.insert(row) == row)
            #expect(try await one.claim(row.job, worker: .random(), until: 100, now: 0))
            #expect(try await !two.claim(row.job, worker: .random(), until: 100, now: 0))
        }
    }

    @Test func `the log is written ahead and synced`() async throws {
        try await withStoreFile { path in
            let store = try SQLiteStore(path: path)
            try await store.setValue("a", [1])
            #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }

    @Test func `a file that is no database is reported, not reset`() async throws {
        try await withStoreFile { path in
            let garbage = Data(repeating: 0x5A, count: 8_192)
            try garbage.write(to: URL(filePath: path))
            #expect {
                try SQLiteStore(path: path)
            } throws: { error in
                if case WorkStoreError.damaged = error { true } else { false }
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == garbage)
        }
    }

    @Test func `a file of a newer app is refused`() async throws {
        try await withStoreFile { path in
            _ = try SQLiteStore(path: path)
            var handle: OpaquePointer?
            #expect(sqlite3_open(path, &handle) == SQLITE_OK)
            #expect(sqlite3_exec(handle, "PRAGMA user_version=99", nil, nil, nil) == SQLITE_OK)
            sqlite3_close_v2(handle)
            #expect(throws: WorkStoreError.damaged("schema version 99 is newer than this app")) {
                try SQLiteStore(path: path)
            }
        }
    }

    @Test func `a folder that is not there is an error that says so`() {
        #expect(throws: WorkStoreError.failed("unable to open database file")) {
            try SQLiteStore(path: "/nonexistent/folder/device.sqlite")
        }
    }
}
