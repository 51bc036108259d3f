/// Lower-case hexadecimal, as fingerprints and digests are written.
public enum Hex {
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 2)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 0x0F))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `text` has room for twice as many.
    public static func encode(_ bytes: [UInt8], to text: UnsafeMutableBufferPointer<UInt8>) {
        for (index, byte) in bytes.enumerated() {
            text[2 * index] = digit(byte >> 4)
            text[2 * index + 1] = digit(byte & 0x0F)
        }
    }

    /// `value` is below 16.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Accepts either case; `nil` for an odd count or any other character.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { withUnits(of: text, decode) }

    private static func decode(_ units: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard units.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(units.count / 2)
        for index in stride(from: 0, to: units.count, by: 2) {
            guard let high = value(of: units[index]), let low = value(of: units[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// A loop over the units of a generic text asks the witness table for each of them when another module calls it; these
    /// loops run several times for every message.
    static func withUnits<Result>(
        of text: some StringProtocol, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        text.utf8.withContiguousStorageIfAvailable(body) ?? Array(text.utf8).withUnsafeBufferPointer(body)
    }

    static func value(of unit: UInt8) -> UInt8? {
        switch unit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): unit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): unit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): unit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
