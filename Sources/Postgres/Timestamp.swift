/// An instant of the server (`timestamptz`): microseconds since 1970, UTC. Made from a clock only where a decision says
/// so; everything else is the database's own `now()`.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }
    public init(milliseconds: Int64) { microseconds = milliseconds * 1000 }

    /// Rounded down, as it travels in messages.
    public var milliseconds: Int64 {
        let excess = microseconds % 1000
        return (microseconds - (excess < 0 ? excess + 1000 : excess)) / 1000
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .microseconds(left.microseconds - right.microseconds)
    }
    public static func + (left: Timestamp, right: Duration) -> Timestamp {
        Timestamp(microseconds: left.microseconds + right.wholeMicroseconds)
    }

    /// `infinity` of the server.
    public static let infinity = Timestamp(microseconds: .max)

    public var description: String { "\(microseconds)µs" }

    /// The server counts from 2000-01-01.
    private static let serverEpoch: Int64 = 946_684_800_000_000
}

extension Timestamp: PostgresValue, PostgresArrayElement {
    public static var typeOID: UInt32 { TypeOID.timestamptz }
    public static var arrayOID: UInt32 { 1185 }

    public func encode(into buffer: inout [UInt8]) {
        (self == .infinity ? .max : microseconds - Self.serverEpoch).append(to: &buffer)
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> Timestamp {
        guard oid == TypeOID.timestamptz || oid == TypeOID.timestamp, let value = Int64(bigEndian: bytes) else {
            throw mismatch(oid)
        }
        return value == .max ? .infinity : Timestamp(microseconds: value &+ serverEpoch)
    }
}

extension Duration {
    /// Rounded towards zero.
    public var wholeMicroseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}

/// An `interval`. Days count 24 hours; an interval with months can't be read, as their length is nobody's to say.
extension Duration: PostgresValue, PostgresArrayElement {
    public static var typeOID: UInt32 { TypeOID.interval }
    public static var arrayOID: UInt32 { 1187 }

    public func encode(into buffer: inout [UInt8]) {
        wholeMicroseconds.append(to: &buffer)
        Int32(0).append(to: &buffer)
        Int32(0).append(to: &buffer)
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> Duration {
        guard oid == TypeOID.interval, bytes.count == 16 else { throw mismatch(oid) }
        let microseconds = Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
        let days = Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: Int32.self))
        let months = Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: 12, as: Int32.self))
        guard months == 0 else { throw PostgresError(.decoding, "an interval with months has no fixed length") }
        return .microseconds(microseconds) + .seconds(86400 * Int64(days))
    }
}
