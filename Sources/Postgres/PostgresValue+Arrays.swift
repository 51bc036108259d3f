/// A type of which the server has arrays. `UInt8` is the odd one: an array of it is a `bytea`.
public protocol PostgresArrayElement: Sendable {
    static var arrayOID: UInt32 { get }
    static func encodeArray(_ elements: [Self], into buffer: inout [UInt8])
    static func decodeArray(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> [Self]
}

extension Array: PostgresValue where Element: PostgresArrayElement {
    public static var typeOID: UInt32 { Element.arrayOID }
    public func encode(into buffer: inout [UInt8]) { Element.encodeArray(self, into: &buffer) }
    public static func decode(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> [Element] {
        try Element.decodeArray(bytes, oid: oid)
    }
}

extension UInt8: PostgresArrayElement {
    public static var arrayOID: UInt32 { TypeOID.bytea }
    public static func encodeArray(_ elements: [UInt8], into buffer: inout [UInt8]) {
        buffer.append(contentsOf: elements)
    }
    public static func decodeArray(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> [UInt8] {
        guard oid == TypeOID.bytea else { throw [UInt8].mismatch(oid) }
        return Array(bytes)
    }
}

/// `[[UInt8]]` is a `bytea[]`.
extension Array: PostgresArrayElement where Element == UInt8 {
    public static var arrayOID: UInt32 { 1001 }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresValue & PostgresArrayElement {
    public static var arrayOID: UInt32 { Wrapped.arrayOID }
}

extension PostgresArrayElement where Self: PostgresValue {
    /// Dimensions, whether there are NULLs, element type, then length and lower bound of the one dimension.
    public static func encodeArray(_ elements: [Self], into buffer: inout [UInt8]) {
        let hasNull = elements.contains(where: \.isNull)
        Int32(elements.isEmpty ? 0 : 1).append(to: &buffer)
        Int32(hasNull ? 1 : 0).append(to: &buffer)
        typeOID.append(to: &buffer)
        if elements.isEmpty { return }
        Int32(elements.count).append(to: &buffer)
        Int32(1).append(to: &buffer)
        for element in elements {
            if element.isNull {
                Int32(-1).append(to: &buffer)
                continue
            }
            let length = buffer.count
            Int32(0).append(to: &buffer)
            element.encode(into: &buffer)
            let written = UInt32(buffer.count - length - 4)
            for byte in 0..<4 { buffer[length + byte] = UInt8(truncatingIfNeeded: written >> (24 - 8 * byte)) }
        }
    }

    public static func decodeArray(_ bytes: UnsafeRawBufferPointer, oid: UInt32) throws(PostgresError) -> [Self] {
        var rest = bytes[...]
        func next() throws(PostgresError) -> Int32 {
            guard let value = Int32(bigEndian: UnsafeRawBufferPointer(rebasing: rest.prefix(4))) else {
                throw [Self].mismatch(oid)
            }
            rest = rest.dropFirst(4)
            return value
        }
        let dimensions = try next()
        _ = try next()
        let element = UInt32(bitPattern: try next())
        guard dimensions != 0 else { return [] }
        guard dimensions == 1 else { throw [Self].mismatch(oid) }
        let count = try next()
        _ = try next()
        var elements: [Self] = []
        elements.reserveCapacity(Int(count))
        for _ in 0..<count {
            let length = Int(try next())
            if length < 0 {
                elements.append(try decodeNull())
                continue
            }
            guard rest.count >= length else { throw [Self].mismatch(oid) }
            elements.append(try decode(UnsafeRawBufferPointer(rebasing: rest.prefix(length)), oid: element))
            rest = rest.dropFirst(length)
        }
        return elements
    }
}
