/// Writes JSON bytes in the order of its calls; commas and escapes are its business, structure is the caller's.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init() {}

    /// The bytes of one object.
    public static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(1024)
        writer.object(members)
        return writer.bytes
    }

    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        members(&self)
        close(UInt8(ascii: "}"))
    }

    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        elements(&self)
        close(UInt8(ascii: "]"))
    }

    public mutating func key(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func string(_ text: String) {
        separate()
        quote(text)
        needsComma = true
    }

    public mutating func integer(_ number: some BinaryInteger) {
        guard let digits = UInt64(exactly: number) else { return raw(String(number)) }
        separate()
        let first = bytes.count
        var left = digits
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(left % 10))
            left /= 10
        } while left > 0
        bytes[first...].reverse()
        needsComma = true
    }

    /// A text of `count` bytes none of which needs an escape, written where it will stand.
    mutating func plainString(_ count: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes += [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            write(buffer)
            initialized = count
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    public mutating func bool(_ flag: Bool) { raw(flag ? "true" : "false") }

    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: raw("null")
        case .bool(let flag): bool(flag)
        case .integer(let number): integer(number)
        case .decimal(let text): raw(text)
        case .string(let text): string(text)
        case .array(let elements): array { for element in elements { $0.value(element) } }
        case .object(let members):
            object {
                for name in members.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                    $0.key(name)
                    $0.value(members[name] ?? .null)
                }
            }
        }
    }

    // Members: an optional that is nil is left out.
    public mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        key(name)
        string(text)
    }

    public mutating func member(_ name: String, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        key(name)
        integer(number)
    }

    public mutating func member(_ name: String, _ flag: Bool) {
        key(name)
        bool(flag)
    }

    /// Standard padded base64.
    public mutating func member(_ name: String, base64 bytes: [UInt8]?) {
        guard let bytes else { return }
        key(name)
        plainString(Base64.length(of: bytes.count)) { Base64.encode(bytes, to: $0) }
    }

    private mutating func raw(_ text: String) {
        separate()
        bytes += text.utf8
        needsComma = true
    }

    private mutating func open(_ unit: UInt8) {
        separate()
        bytes.append(unit)
        needsComma = false
    }

    private mutating func close(_ unit: UInt8) {
        bytes.append(unit)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { units in
            // Nearly every text goes as it is.
            if units.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
                escape(units)
            } else {
                bytes.append(contentsOf: units)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ units: UnsafeBufferPointer<UInt8>) {
        for unit in units {
            switch unit {
            case UInt8(ascii: "\""): bytes += [UInt8(ascii: "\\"), unit]
            case UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), unit]
            case 0x08: bytes += "\\b".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += "\\u00".utf8
                bytes += [digits[Int(unit >> 4)], digits[Int(unit & 0x0F)]]
            default: bytes.append(unit)
            }
        }
    }
}
