public import Delivery
public import Postgres

/// A `uuid`, as its sixteen bytes.
extension Identifier: PostgresValue, PostgresArrayElement {
    public static var typeOID: UInt32 { TypeOID.uuid }
    public static var arrayOID: UInt32 { 2951 }

    public func encode(into buffer: inout [UInt8]) {
        for word in [high, low] { withUnsafeBytes(of: word.bigEndian) { buffer.append(contentsOf: $0) } }
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> Identifier {
        guard oid == typeOID, bytes.count == 16 else {
            throw PostgresError(.decoding, "a value of type OID \(oid) is not a uuid")
        }
        return Identifier(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
}
