extension FixedWidthInteger {
    func append(to buffer: inout [UInt8]) { Swift.withUnsafeBytes(of: bigEndian) { buffer.append(contentsOf: $0) } }

    init?(bigEndian bytes: UnsafeRawBufferPointer) {
        guard bytes.count == MemoryLayout<Self>.size else { return nil }
        self = Self(bigEndian: bytes.loadUnaligned(as: Self.self))
    }
}

/// Reads any of the server's integers, so that `count(*)` and a smallint column need no cast.
private func integer(_ bytes: UnsafeRawBufferPointer, oid: UInt32) -> Int64? {
    switch oid {
    case TypeOID.int2: Int16(bigEndian: bytes).map(Int64.init)
    case TypeOID.int4: Int32(bigEndian: bytes).map(Int64.init)
    case TypeOID.int8: Int64(bigEndian: bytes)
    case TypeOID.oid: UInt32(bigEndian: bytes).map(Int64.init)
    default: nil
    }
}

/// The four integer types share everything but their OID.
public protocol PostgresInteger: PostgresValue, PostgresArrayElement, FixedWidthInteger {}

extension PostgresInteger {
    public func encode(into buffer: inout [UInt8]) { append(to: &buffer) }

    public static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> Self {
        guard let wide = integer(bytes, oid: oid), let value = Self(exactly: wide) else { throw mismatch(oid) }
        return value
    }
}

extension Int16: PostgresInteger {
    public static var typeOID: UInt32 { TypeOID.int2 }
    public static var arrayOID: UInt32 { 1005 }
}

extension Int32: PostgresInteger {
    public static var typeOID: UInt32 { TypeOID.int4 }
    public static var arrayOID: UInt32 { 1007 }
}

extension Int64: PostgresInteger {
    public static var typeOID: UInt32 { TypeOID.int8 }
    public static var arrayOID: UInt32 { 1016 }
}

extension Int: PostgresInteger {
    public static var typeOID: UInt32 { TypeOID.int8 }
    public static var arrayOID: UInt32 { 1016 }
}

extension Bool: PostgresValue, PostgresArrayElement {
    public static var typeOID: UInt32 { TypeOID.bool }
    public static var arrayOID: UInt32 { 1000 }
    public func encode(into buffer: inout [UInt8]) { buffer.append(self ? 1 : 0) }
    public static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> Bool {
        guard oid == TypeOID.bool, bytes.count == 1 else { throw mismatch(oid) }
        return bytes[0] != 0
    }
}

extension Double: PostgresValue, PostgresArrayElement {
    public static var typeOID: UInt32 { TypeOID.float8 }
    public static var arrayOID: UInt32 { 1022 }
    public func encode(into buffer: inout [UInt8]) { bitPattern.append(to: &buffer) }
    public static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> Double {
        if oid == TypeOID.float8, let bits = UInt64(bigEndian: bytes) { return Double(bitPattern: bits) }
        if oid == TypeOID.float4, let bits = UInt32(bigEndian: bytes) { return Double(Float(bitPattern: bits)) }
        throw mismatch(oid)
    }
}

extension String: PostgresValue, PostgresArrayElement {
    public static var typeOID: UInt32 { TypeOID.text }
    public static var arrayOID: UInt32 { 1009 }
    public func encode(into buffer: inout [UInt8]) { buffer.append(contentsOf: utf8) }
    /// Text of any kind, enumerations, and JSON as its text.
    public static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> String {
        switch oid {
        case TypeOID.text, TypeOID.varchar, TypeOID.bpchar, TypeOID.name, TypeOID.json, TypeOID.unknown,
            TypeOID.firstUserDefined...:
            return String(decoding: bytes, as: UTF8.self)
        case TypeOID.jsonb:  // a version byte, then text
            guard bytes.first == 1 else { throw mismatch(oid) }
            return String(decoding: bytes.dropFirst(), as: UTF8.self)
        default: throw mismatch(oid)
        }
    }
}
