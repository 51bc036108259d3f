/// Standard alphabet with padding (RFC 4648 section 4), decoded strictly: one text for one value.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, unit) in alphabet.enumerated() { values[Int(unit)] = UInt8(value) }
        return values
    }()

    public static func encode(_ bytes: [UInt8]) -> String {
        let length = length(of: bytes.count)
        return String(unsafeUninitializedCapacity: length) { text in
            encode(bytes, to: text)
            return length
        }
    }

    static func length(of count: Int) -> Int { (count + 2) / 3 * 4 }

    /// `text` has room for the encoded bytes.
    static func encode(_ bytes: [UInt8], to text: UnsafeMutableBufferPointer<UInt8>) {
        bytes.withUnsafeBufferPointer { bytes in
            alphabet.withUnsafeBufferPointer { alphabet in
                var position = 0
                for index in stride(from: 0, to: bytes.count, by: 3) {
                    let left = bytes.count - index
                    let word =
                        UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
                        | (left > 2 ? UInt32(bytes[index + 2]) : 0)
                    text[position] = alphabet[Int(word >> 18)]
                    text[position + 1] = alphabet[Int(word >> 12 & 63)]
                    text[position + 2] = left > 1 ? alphabet[Int(word >> 6 & 63)] : UInt8(ascii: "=")
                    text[position + 3] = left > 2 ? alphabet[Int(word & 63)] : UInt8(ascii: "=")
                    position += 4
                }
            }
        }
    }

    /// `nil` for white space, missing padding, or bits that an encoder leaves zero.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let units = Array(text.utf8)
        guard units.count % 4 == 0 else { return nil }
        let padding = units.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(units.count / 4 * 3)
        var word: UInt32 = 0
        for (index, unit) in units.dropLast(padding).enumerated() {
            let value = values[Int(unit)]
            guard value != 0xFF else { return nil }
            word = word << 6 | UInt32(value)
            if index % 4 == 3 {
                bytes += [UInt8(word >> 16 & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word & 0xFF)]
                word = 0
            }
        }
        switch padding {
        case 1:
            guard word & 3 == 0 else { return nil }
            bytes += [UInt8(word >> 10 & 0xFF), UInt8(word >> 2 & 0xFF)]
        case 2:
            guard word & 15 == 0 else { return nil }
            bytes.append(UInt8(word >> 4 & 0xFF))
        default: break
        }
        return bytes
    }
}
