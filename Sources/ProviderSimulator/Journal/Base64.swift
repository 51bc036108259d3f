/// Standard base64 with padding (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let group = (0..<3).map { index + $0 < bytes.count ? Int(bytes[index + $0]) : 0 }
            let value = group[0] << 16 | group[1] << 8 | group[2]
            let left = bytes.count - index
            for place in 0..<4 {
                text.append(place <= left ? alphabet[value >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }
}
