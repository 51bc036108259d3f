import DeviceKit

/// The tables of a device, by version; a file of a newer version is refused, never touched.
enum SQLiteSchema {
    static let version: Int64 = 1

    static func prepare(_ database: SQLiteDatabase) throws(WorkStoreError) {
        try database.transaction { () throws(WorkStoreError) in
            let found = try database.run("PRAGMA user_version").first?.integer(0) ?? 0
            guard found <= version else { throw .damaged("schema version \(found) is newer than this app") }
            guard found < version else { return }
            if found < 1 { try database.script(first) }
            try database.script("PRAGMA user_version=\(version)")
        }
    }

    private static let first = """
        CREATE TABLE job (
            job BLOB PRIMARY KEY CHECK (length(job) = 16), document_type TEXT NOT NULL, origin TEXT NOT NULL,
            stage TEXT NOT NULL, fanout TEXT NOT NULL, report TEXT NOT NULL, rejection TEXT, digest BLOB,
            report_body BLOB, attempt BLOB, lease_epoch INTEGER, lease_nonce BLOB, failures INTEGER NOT NULL,
            retry_at INTEGER, fanout_retry_at INTEGER, created_at INTEGER NOT NULL, is_open INTEGER NOT NULL,
            worker BLOB, claimed_until INTEGER,
            CHECK (report = 'none' OR report_body IS NOT NULL), CHECK (stage <> 'generated' OR digest IS NOT NULL)
        ) STRICT;
        CREATE INDEX job_open ON job (created_at, job) WHERE is_open = 1;
        CREATE TABLE receipt (
            job BLOB PRIMARY KEY REFERENCES job, document_type TEXT NOT NULL, document BLOB NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32)
        ) STRICT;
        CREATE TABLE fetched (job BLOB PRIMARY KEY REFERENCES job ON DELETE CASCADE, body BLOB NOT NULL) STRICT;
        CREATE TABLE submission (
            job BLOB PRIMARY KEY REFERENCES job, digest BLOB NOT NULL CHECK (length(digest) = 32), body BLOB NOT NULL
        ) STRICT;
        CREATE TABLE listing (id INTEGER PRIMARY KEY CHECK (id = 1), etag TEXT, body BLOB NOT NULL) STRICT;
        CREATE TABLE value (name TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE number (name TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;
        """
}
