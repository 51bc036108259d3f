import CSQLite
import Delivery
import DeviceKit

/// One row of a result, in the order of its columns.
struct SQLiteRow {
    private let values: [SQLiteValue]

    init(reading statement: OpaquePointer?) {
        values = (0..<sqlite3_column_count(statement)).map { SQLiteValue(reading: statement, at: $0) }
    }

    func integer(_ column: Int) -> Int64? { if case .integer(let number) = values[column] { number } else { nil } }
    func text(_ column: Int) -> String? { if case .text(let text) = values[column] { text } else { nil } }
    func bytes(_ column: Int) -> [UInt8]? { if case .blob(let bytes) = values[column] { bytes } else { nil } }

    func identifier(_ column: Int) -> Identifier? {
        guard let bytes = bytes(column), bytes.count == 16 else { return nil }
        return Identifier(bytes: bytes)
    }

    /// A column that our own statements never leave without such a word.
    func word<Word: RawRepresentable<String>>(_ column: Int) throws(WorkStoreError) -> Word {
        guard let word = text(column).flatMap(Word.init(rawValue:)) else { throw .damaged("column \(column)") }
        return word
    }
}
