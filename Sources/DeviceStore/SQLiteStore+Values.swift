public import DeviceKit

extension SQLiteStore {
    public func value(_ name: String) throws(WorkStoreError) -> [UInt8]? {
        try database.run("SELECT bytes FROM value WHERE name = ?", [.text(name)]).first?.bytes(0)
    }

    public func setValue(_ name: String, _ bytes: [UInt8]?) throws(WorkStoreError) {
        guard let bytes else {
            try database.run("DELETE FROM value WHERE name = ?", [.text(name)])
            return
        }
        try database.run(
            "INSERT INTO value VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes",
            [.text(name), .blob(bytes)])
    }

    public func nextNumber(_ name: String) throws(WorkStoreError) -> Int64 {
        let rows = try database.run(
            "INSERT INTO number VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET last = last + 1 RETURNING last",
            [.text(name)])
        guard let number = rows.first?.integer(0) else { throw .damaged("number") }
        return number
    }

    public func erase(keeping names: [String]) throws(WorkStoreError) {
        try database.transaction { () throws(WorkStoreError) in
            // Children before the rows that they refer to.
            try database.script(
                """
                DELETE FROM receipt; DELETE FROM submission; DELETE FROM fetched; DELETE FROM job; DELETE FROM listing;
                DELETE FROM number;
                """)
            for row in try database.run("SELECT name FROM value") {
                guard let name = row.text(0), !names.contains(name) else { continue }
                try database.run("DELETE FROM value WHERE name = ?", [.text(name)])
            }
        }
    }
}
