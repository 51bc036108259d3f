import Glibc

/// A name or a value as it travels, not a string yet.
public struct FieldText: Hashable, Sendable {
    public let bytes: ArraySlice<UInt8>

    public init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public static func == (left: FieldText, right: StaticString) -> Bool {
        left.bytes.withUnsafeBufferPointer { right.isSame($0) }
    }

    public static func == (left: FieldText, right: String) -> Bool {
        var right = right
        return right.withUTF8 { isSame(left.bytes, $0) }
    }

    private static func isSame(_ left: ArraySlice<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        left.count == right.count
            && (left.isEmpty || left.withUnsafeBytes { memcmp($0.baseAddress!, right.baseAddress!, $0.count) == 0 })
    }
}

extension StaticString {
    /// Byte by byte.
    public func isSame(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.count == utf8CodeUnitCount
            && (bytes.isEmpty || memcmp(bytes.baseAddress!, utf8Start, utf8CodeUnitCount) == 0)
    }
}
