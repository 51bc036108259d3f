/// One SQL statement and the values bound to it. Written as a string literal: whatever is interpolated becomes a bind
/// (`$1`, `$2`, …) and can't change the statement.
///
///     "SELECT state FROM delivery.job_device WHERE job_id = \(job) AND device_id = \(device)"
public struct Statement: Sendable, ExpressibleByStringInterpolation {
    public internal(set) var sql: String
    private(set) var binds = Binds()

    public init(stringLiteral value: String) { sql = value }

    public init(stringInterpolation: Interpolation) {
        sql = stringInterpolation.sql
        binds = stringInterpolation.binds
    }

    /// Values in the server's binary format, one behind the other.
    struct Binds: Sendable {
        var types: [UInt32] = []
        var ranges: [Range<Int>?] = []
        /// Begins with one spare byte, so that an empty value has an address too.
        var bytes: [UInt8] = [0]

        mutating func append(_ value: some PostgresValue) {
            types.append(type(of: value).typeOID)
            if value.isNull { return ranges.append(nil) }
            let start = bytes.count
            value.encode(into: &bytes)
            ranges.append(start..<bytes.count)
        }
    }

    public struct Interpolation: StringInterpolationProtocol {
        var sql = ""
        var binds = Binds()

        public init(literalCapacity: Int, interpolationCount: Int) {
            sql.reserveCapacity(literalCapacity + interpolationCount * 3)
        }

        public mutating func appendLiteral(_ literal: String) { sql += literal }

        public mutating func appendInterpolation(_ value: some PostgresValue) {
            binds.append(value)
            sql += "$\(binds.types.count)"
        }

        /// Becomes part of the statement as it is: for names that the program itself chose, never for data.
        public mutating func appendInterpolation(unescaped text: String) { sql += text }
    }
}
