public import Delivery
public import Postgres

/// A `bytea` of 32 bytes.
extension Fingerprint: PostgresValue, PostgresArrayElement {
    public static var typeOID: UInt32 { TypeOID.bytea }
    public static var arrayOID: UInt32 { 1001 }

    public func encode(into buffer: inout [UInt8]) { buffer.append(contentsOf: bytes) }

    public static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> Fingerprint {
        guard oid == typeOID, let fingerprint = Fingerprint(bytes: Array(bytes)) else {
            throw PostgresError(.decoding, "a value of type OID \(oid) is not a fingerprint")
        }
        return fingerprint
    }
}
