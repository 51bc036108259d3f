extension JSONValue {
    /// Reads one JSON text (RFC 8259) with nothing behind it; nil if it is none, or nested deeper than 64.
    public init?(parsing bytes: [UInt8]) {
        let parsed = bytes.withUnsafeBufferPointer { buffer -> JSONValue? in
            var parser = JSONParser(bytes: buffer)
            guard let value = parser.value(depth: 0) else { return nil }
            parser.skipSpace()
            return parser.isAtEnd ? value : nil
        }
        guard let parsed else { return nil }
        self = parsed
    }

    public init?(parsing text: String) { self.init(parsing: Array(text.utf8)) }

    /// For a person whose text is no JSON: where it stops being it. Nil if it is JSON.
    static func fault(in bytes: [UInt8]) -> String? {
        bytes.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(bytes: buffer)
            if parser.value(depth: 0) != nil {
                parser.skipSpace()
                if parser.isAtEnd { return nil }
            }
            let before = buffer[..<parser.position]
            let line = before.count { $0 == 0x0A } + 1
            let column = parser.position - (before.lastIndex(of: 0x0A) ?? -1)
            return "not valid JSON from line \(line), column \(column) on"
        }
    }
}

/// A recursive-descent reader over bytes that outlive it.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count else { return false }
        let matches = word.withUTF8Buffer { $0.elementsEqual(bytes[position..<end]) }
        if matches { position = end }
        return matches
    }

    mutating func value(depth: Int = 0) -> JSONValue? {
        guard depth < 64 else { return nil }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return take(word: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take(word: "false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
        default: return number()
        }
    }

    // MARK: Looking through without making values

    /// True if `bytes` are one JSON object and nothing else. `visit` is called at the value of each member and has to
    /// read or skip it; keys are given as they are written.
    static func scan(
        _ bytes: [UInt8], _ visit: (UnsafeBufferPointer<UInt8>, inout JSONParser) -> Bool
    ) -> Bool {
        bytes.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(bytes: buffer)
            parser.skipSpace()
            guard parser.isAtObject, parser.members(visit) else { return false }
            parser.skipSpace()
            return parser.isAtEnd
        }
    }

    var isAtObject: Bool { next == UInt8(ascii: "{") }

    mutating func members(_ visit: (UnsafeBufferPointer<UInt8>, inout JSONParser) -> Bool) -> Bool {
        position += 1
        skipSpace()
        if take(UInt8(ascii: "}")) { return true }
        while true {
            skipSpace()
            let start = position + 1
            guard next == UInt8(ascii: "\""), skipString() else { return false }
            let key = UnsafeBufferPointer(rebasing: bytes[start..<(position - 1)])
            skipSpace()
            guard take(UInt8(ascii: ":")) else { return false }
            skipSpace()
            guard visit(key, &self) else { return false }
            skipSpace()
            if take(UInt8(ascii: "}")) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    /// As `value`, but makes nothing of it.
    mutating func skip(depth: Int = 0) -> Bool {
        guard depth < 64 else { return false }
        skipSpace()
        switch next {
        case UInt8(ascii: "\""): return skipString()
        case UInt8(ascii: "{"): return members { _, parser in parser.skip(depth: depth + 1) }
        case UInt8(ascii: "["): break
        default: return value(depth: depth) != nil
        }
        position += 1
        skipSpace()
        if take(UInt8(ascii: "]")) { return true }
        while true {
            guard skip(depth: depth + 1) else { return false }
            skipSpace()
            if take(UInt8(ascii: "]")) { return true }
            guard take(UInt8(ascii: ",")) else { return false }
        }
    }

    /// Plain ASCII is only looked at; anything else is read as `string` does.
    private mutating func skipString() -> Bool {
        let start = position
        position += 1
        while let byte = next, byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\\") {
            position += 1
            if byte == UInt8(ascii: "\"") { return true }
        }
        position = start
        return string() != nil
    }

    private mutating func object(depth: Int) -> JSONValue? {
        position += 1
        var members: [JSONValue.Member] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\""), let key = string() else { return nil }
            skipSpace()
            guard take(UInt8(ascii: ":")), let value = value(depth: depth + 1) else { return nil }
            members.append(JSONValue.Member(key, value))
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func array(depth: Int) -> JSONValue? {
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            guard let element = value(depth: depth + 1) else { return nil }
            elements.append(element)
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func string() -> String? {
        position += 1
        let start = position
        // Most strings need no unescaping: find the end first.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        var text = Array(bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"): guard escape(into: &text) else { return nil }
            case ..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape(into text: inout [UInt8]) -> Bool {
        guard let byte = next else { return false }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard var code = hex() else { return false }
            if (0xD800..<0xDC00).contains(code) {
                guard take(word: "\\u"), let low = hex(), (0xDC00..<0xE000).contains(low) else { return false }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { return false }
            text.append(contentsOf: String(Character(scalar)).utf8)
        default: return false
        }
        return true
    }

    private mutating func hex() -> UInt32? {
        guard position + 4 <= bytes.count else { return nil }
        let digits = String(decoding: bytes[position..<(position + 4)], as: UTF8.self)
        position += 4
        return digits.utf8.first == UInt8(ascii: "+") ? nil : UInt32(digits, radix: 16)
    }

    private mutating func number() -> JSONValue? {
        let start = position
        var isInteger = true
        _ = take(UInt8(ascii: "-"))
        let firstDigit = next
        guard digits() > 0 else { return nil }
        if firstDigit == UInt8(ascii: "0"), position - start - (bytes[start] == UInt8(ascii: "-") ? 1 : 0) > 1 {
            return nil
        }
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard digits() > 0 else { return nil }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() > 0 else { return nil }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let number = Int64(text) { return .integer(number) }
        return Double(text).map { .number($0) }
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }
}
