/// A UUID as its sixteen bytes; as text always lower case.
public struct Identifier: Hashable, Sendable, CustomStringConvertible {
    /// The first eight bytes and the last, most significant first.
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Traps unless there are sixteen bytes: callers hold bytes that a column or a random source gave them.
    public init(bytes: some Collection<UInt8>) {
        precondition(bytes.count == 16, "a UUID has sixteen bytes")
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Always sixteen.
    public var bytes: [UInt8] {
        [high, low].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    /// Accepts the 36 character form in any case, nothing else.
    public init?(_ text: some StringProtocol) {
        guard let words = Hex.withUnits(of: text, Self.words) else { return nil }
        (high, low) = words
    }

    private static func words(_ units: UnsafeBufferPointer<UInt8>) -> (high: UInt64, low: UInt64)? {
        guard units.count == 36 else { return nil }
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for (position, unit) in units.enumerated() {
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard unit == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Hex.value(of: unit) else { return nil }
            if position < 18 {
                words.high = words.high << 4 | UInt64(digit)
            } else {
                words.low = words.low << 4 | UInt64(digit)
            }
        }
        return words
    }

    public var description: String {
        String(unsafeUninitializedCapacity: 36) { text in
            write(to: text)
            return 36
        }
    }

    /// Writes the text into the first 36 bytes.
    public func write(to text: UnsafeMutableBufferPointer<UInt8>) {
        precondition(text.count >= 36, "no room for a UUID")
        var position = 0
        for word in 0..<2 {
            let bits = word == 0 ? high : low
            for shift in stride(from: 60, through: 0, by: -4) {
                if position == 8 || position == 13 || position == 18 || position == 23 {
                    text[position] = UInt8(ascii: "-")
                    position += 1
                }
                text[position] = Hex.digit(UInt8(truncatingIfNeeded: bits >> UInt64(shift)) & 0x0F)
                position += 1
            }
        }
    }

    /// A version 4 UUID from the system's generator.
    public static func random() -> Identifier {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A version 4 UUID; the generator decides how unpredictable it is.
    public static func random(using generator: inout some RandomNumberGenerator) -> Identifier {
        Identifier(high: generator.next(), low: generator.next(), version: 4)
    }

    /// Sixteen arbitrary bytes made into a UUID of that version (RFC 9562).
    public init(versioned bytes: [UInt8], _ version: UInt8) {
        let plain = Identifier(bytes: bytes)
        self.init(high: plain.high, low: plain.low, version: version)
    }

    private init(high: UInt64, low: UInt64, version: UInt8) {
        self.high = high & ~0xF000 | UInt64(version) << 12
        self.low = low & ~(0b11 << 62) | 0b10 << 62
    }
}

extension Identifier: Comparable {
    /// The order of PostgreSQL's uuid: by bytes.
    public static func < (left: Identifier, right: Identifier) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
