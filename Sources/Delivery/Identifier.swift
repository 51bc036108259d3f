/// A UUID as its sixteen bytes; as text always lower case.
public struct Identifier: Hashable, Sendable, CustomStringConvertible {
    /// Always sixteen.
    public let bytes: [UInt8]

    /// Traps unless there are sixteen bytes: callers hold bytes that a column or a random source gave them.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 16, "a UUID has sixteen bytes")
        self.bytes = bytes
    }

    /// Accepts the 36 character form in any case, nothing else.
    public init?(_ text: some StringProtocol) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var high: UInt8?
        var position = 0
        for unit in text.utf8 {
            defer { position += 1 }
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard unit == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Hex.value(of: unit), position < 36 else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard position == 36 else { return nil }
        self.bytes = bytes
    }

    public var description: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var position = 0
            for byte in bytes {
                if position == 8 || position == 13 || position == 18 || position == 23 {
                    text[position] = UInt8(ascii: "-")
                    position += 1
                }
                text[position] = Hex.digit(byte >> 4)
                text[position + 1] = Hex.digit(byte & 0x0F)
                position += 2
            }
            return position
        }
    }

    /// A version 4 UUID from the system's generator.
    public static func random() -> Identifier {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A version 4 UUID; the generator decides how unpredictable it is.
    public static func random(using generator: inout some RandomNumberGenerator) -> Identifier {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for word in [generator.next() as UInt64, generator.next() as UInt64] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return Identifier(versioned: bytes, 4)
    }

    /// Sixteen arbitrary bytes made into a UUID of that version (RFC 9562).
    public init(versioned bytes: [UInt8], _ version: UInt8) {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.init(bytes: bytes)
    }
}

extension Identifier: Comparable {
    /// The order of PostgreSQL's uuid: by bytes.
    public static func < (left: Identifier, right: Identifier) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
