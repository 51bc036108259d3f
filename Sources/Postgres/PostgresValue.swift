/// A type with a binary form that the server knows. Parameters say their type's OID, so that nothing is guessed.
public protocol PostgresValue: Sendable {
    /// OID of the type as which it is bound.
    static var typeOID: UInt32 { get }
    /// Bound as NULL if true; `encode` is then not called.
    var isNull: Bool { get }
    /// Appends the binary form, without a length.
    func encode(into buffer: inout [UInt8])
    /// Reads the binary form of a value of the server's type `oid`; throws `.decoding` if that is not its type.
    static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> Self
    /// What NULL is read as; throws unless the type has a place for it.
    static func decodeNull() throws(PostgresError) -> Self
}

extension PostgresValue {
    public var isNull: Bool { false }

    public static func decodeNull() throws(PostgresError) -> Self {
        throw PostgresError(.decoding, "found NULL where \(Self.self) was asked for")
    }

    static func mismatch(_ oid: UInt32) -> PostgresError {
        PostgresError(.decoding, "a value of type OID \(oid) can't be read as \(Self.self); cast it in the statement")
    }
}

extension Optional: PostgresValue where Wrapped: PostgresValue {
    public static var typeOID: UInt32 { Wrapped.typeOID }
    public var isNull: Bool { self.map(\.isNull) ?? true }
    public func encode(into buffer: inout [UInt8]) { self?.encode(into: &buffer) }
    public static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> Self {
        try Wrapped.decode(bytes, oid: oid)
    }
    public static func decodeNull() throws(PostgresError) -> Self { nil }
}
