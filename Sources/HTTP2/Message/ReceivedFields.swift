import Glibc

/// Header fields as they came, in one piece of memory: who sees many requests makes strings only of what it looks at.
public struct ReceivedFields: Hashable, Sendable {
    private var bytes: [UInt8] = []
    /// Where a name or value ends that began where the one before ended.
    private var ends: [UInt32] = []

    public init() {}

    public init(_ headers: Headers) {
        for field in headers {
            var (name, value) = (field.name, field.value)
            name.withUTF8 { name in value.withUTF8 { append(name, $0) } }
        }
    }

    mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        if ends.isEmpty {
            // Most requests fit; growing step by step would copy all of it several times.
            bytes.reserveCapacity(960)
            ends.reserveCapacity(32)
        }
        bytes.append(contentsOf: name)
        ends.append(UInt32(bytes.count))
        bytes.append(contentsOf: value)
        ends.append(UInt32(bytes.count))
    }

    public var count: Int { ends.count / 2 }

    private func range(_ part: Int) -> Range<Int> { Int(part == 0 ? 0 : ends[part - 1])..<Int(ends[part]) }

    /// Each name with its place, as a view that must not leave `body`.
    public func forEachName(_ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            ends.withUnsafeBufferPointer { ends in
                var start = 0
                for index in 0..<(ends.count / 2) {
                    body(index, UnsafeBufferPointer(rebasing: bytes[start..<Int(ends[2 * index])]))
                    start = Int(ends[2 * index + 1])
                }
            }
        }
    }

    public func name(_ index: Int) -> ReceivedText { ReceivedText(bytes: bytes[range(2 * index)]) }
    public func value(_ index: Int) -> ReceivedText { ReceivedText(bytes: bytes[range(2 * index + 1)]) }

    /// The value of the first field of that (lower-case) name.
    public subscript(_ name: StaticString) -> ReceivedText? {
        var found: Int?
        forEachName { index, candidate in
            if found == nil, name.isSame(candidate) { found = index }
        }
        return found.map(value)
    }

    public var headers: Headers {
        Headers((0..<count).map { HeaderField(name($0).text, value($0).text) })
    }
}

/// A part of what came, not a string yet.
public struct ReceivedText: Hashable, Sendable {
    public let bytes: ArraySlice<UInt8>

    public init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public static func == (left: ReceivedText, right: StaticString) -> Bool {
        left.bytes.withUnsafeBufferPointer { right.isSame($0) }
    }

    public static func == (left: ReceivedText, right: String) -> Bool {
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
