/// Unpadded base64 of RFC 4648 section 5, as JSON Web Tokens use it.
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    public static func encoded(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits = 0
        var held = 0
        for byte in bytes {
            bits = bits << 8 | Int(byte)
            held += 8
            while held >= 6 {
                held -= 6
                text.append(alphabet[bits >> held & 63])
            }
            bits &= (1 << held) - 1
        }
        if held > 0 { text.append(alphabet[bits << (6 - held) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for padding, foreign characters, an impossible length or bits left over.
    public static func decoded(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits = 0
        var held = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | value
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(bits >> held))
                bits &= (1 << held) - 1
            }
        }
        return held < 6 && bits == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character) + 4
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
