/// `application/x-www-form-urlencoded`.
enum FormFields {
    /// The last value of each name.
    static func decode(_ body: [UInt8]) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            fields[text(halves[0])] = halves.count == 2 ? text(halves[1]) : ""
        }
        return fields
    }

    private static func text(_ encoded: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = encoded
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                bytes.append(0x20)
            } else if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
