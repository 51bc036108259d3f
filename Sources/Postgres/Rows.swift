import CPostgres

/// What a statement answered: rows, in order, and how many it touched. Holds the server's bytes and reads them on demand.
public struct Rows: Sendable, RandomAccessCollection {
    private let result: ResultHandle

    init(_ result: ResultHandle) { self.result = result }

    public var startIndex: Int { 0 }
    public var endIndex: Int { result.rows }
    public subscript(position: Int) -> Row {
        precondition(position >= 0 && position < result.rows, "no such row")
        return Row(result: result, index: Int32(position))
    }

    /// Where a column is, for whoever reads thousands of rows; throws `.decoding` if there is none of that name.
    public func column(_ name: String) throws(PostgresError) -> Column { Column(number: try result.column(name)) }

    /// How many rows an INSERT, UPDATE, DELETE or SELECT was about.
    public var affected: Int { result.affected }

    /// `COMMIT`, `ROLLBACK`, `INSERT 0 1`, …
    var command: String { result.command }

    /// The only row; throws `.decoding` if there is none or more than one.
    public func one() throws(PostgresError) -> Row {
        guard count == 1 else { throw PostgresError(.decoding, "expected one row, got \(count)") }
        return self[0]
    }
}

/// A column of one answer.
public struct Column: Sendable {
    let number: Int32
}

/// One row. Columns are read by name: `let state: String = try row["state"]`.
public struct Row: Sendable {
    let result: ResultHandle
    let index: Int32

    public subscript<Value: PostgresValue>(column: String) -> Value {
        get throws(PostgresError) { try get(column, as: Value.self) }
    }

    /// `column` is of the answer that the row is of.
    public subscript<Value: PostgresValue>(column: Column) -> Value {
        get throws(PostgresError) { try result.value(row: index, column: column.number) }
    }

    public func get<Value: PostgresValue>(_ column: String, as type: Value.Type) throws(PostgresError) -> Value {
        try result.value(row: index, column: result.column(column))
    }

    /// Reads the only column, whatever it is called.
    public func only<Value: PostgresValue>(as type: Value.Type = Value.self) throws(PostgresError) -> Value {
        guard result.columns.count == 1 else {
            throw PostgresError(.decoding, "expected one column, got \(result.columns.count)")
        }
        return try result.value(row: index, column: 0)
    }
}

/// Sole owner of a `PGresult`.
///
/// @unchecked: libpq documents a PGresult as read-only once made, and free to be passed between threads.
final class ResultHandle: @unchecked Sendable {
    private let pointer: OpaquePointer
    let rows: Int
    let columns: [String: Int32]

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        rows = Int(PQntuples(pointer))
        var columns: [String: Int32] = [:]
        for column in 0..<PQnfields(pointer) { columns[String(cString: PQfname(pointer, column))] = column }
        self.columns = columns
    }

    deinit { PQclear(pointer) }

    func column(_ name: String) throws(PostgresError) -> Int32 {
        guard let number = columns[name] else {
            throw PostgresError(.decoding, "the answer has no column \(name)")
        }
        return number
    }

    var status: ExecStatusType { PQresultStatus(pointer) }
    var affected: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }
    /// `COMMIT`, `ROLLBACK`, `INSERT 0 1`, …
    var command: String { String(cString: PQcmdStatus(pointer)) }

    /// What the server said; the field codes are those of postgres_ext.h.
    var error: PostgresError {
        guard let state = field("C") else {
            // An error that libpq made itself, which is one of the connection.
            let text = String(cString: PQresultErrorMessage(pointer))
            return PostgresError(
                .connectionLost, text.split(separator: "\n").first.map(String.init) ?? "the server gave no reason")
        }
        return PostgresError(
            sqlState: state, message: field("M") ?? "the server gave no reason",
            position: field("P").flatMap { Int($0) }, detail: field("D"))
    }

    func value<Value: PostgresValue>(row: Int32, column: Int32) throws(PostgresError) -> Value {
        if PQgetisnull(pointer, row, column) == 1 { return try Value.decodeNull() }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, column), count: Int(PQgetlength(pointer, row, column)))
        return try Value.decode(bytes, oid: PQftype(pointer, column))
    }

    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(pointer, Int32(code.value)).map { String(cString: $0) }
    }
}
