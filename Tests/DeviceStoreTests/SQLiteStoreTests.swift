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

    @Test func `a page that was damaged while the app was away is an error, and nothing is overwritten`() async throws {
        try await withStoreFile { path in
            do {
                let store = try SQLiteStore(path: path)
                for number in 0..<200 { try await store.setValue("name \(number)", [UInt8](repeating: 7, count: 500)) }
            }
            var bytes = try Data(contentsOf: URL(filePath: path))
            for index in 4_096..<bytes.count { bytes[index] = 0x5A }
            try bytes.write(to: URL(filePath: path))
            await #expect {
                _ = try await SQLiteStore(path: path).value("name 100")
            } throws: { error in
                if case WorkStoreError.damaged = error { true } else { false }
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        }
    }

    @Test func `a damaged file is moved away whole, and the next store enrols as a new device`() async throws {
        try await withStoreFile { path in
            let before = try await Device.identity(platform: .ios, store: SQLiteStore(path: path))
            let garbage = Data(repeating: 0x5A, count: 8_192)
            try garbage.write(to: URL(filePath: path))
            #expect(throws: WorkStoreError.self) { try SQLiteStore(path: path) }
            let aside = try SQLiteStore.setAside(path: path, now: 17)
            #expect(aside == path + ".damaged-17")
            #expect(try Data(contentsOf: URL(filePath: aside)) == garbage)
            let after = try await Device.identity(platform: .ios, store: SQLiteStore(path: path))
            #expect(after.device != before.device && after.account == nil)
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
