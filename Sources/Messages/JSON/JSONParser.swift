/// RFC 8259, strictly; refuses what two parsers could read differently (a key twice, invalid UTF-8, lone surrogates).
struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(MessageError) -> JSONValue {
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw fault("text after the value") }
        return value
    }

    private mutating func value() throws(MessageError) -> JSONValue {
        skipSpace()
        guard let first = peek else { throw fault("unexpected end") }
        switch first {
        case UInt8(ascii: "{"): return try nested { (parser) throws(MessageError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { (parser) throws(MessageError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(MessageError) -> JSONValue
    ) throws(MessageError) -> JSONValue {
        guard depth < 64 else { throw fault("too deep") }
        depth += 1
        position += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(MessageError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if skip(UInt8(ascii: "}")) { return .object(members) }
        // Our messages have that many members.
        if depth == 1 { members.reserveCapacity(16) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw fault("a key expected") }
            let key = try string()
            guard skip(UInt8(ascii: ":")) else { throw fault("a colon expected") }
            let member = try value()
            guard members.updateValue(member, forKey: key) == nil else { throw fault("a key twice") }
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw fault("the object does not end") }
        return .object(members)
    }

    private mutating func array() throws(MessageError) -> JSONValue {
        var elements: [JSONValue] = []
        if skip(UInt8(ascii: "]")) { return .array(elements) }
        repeat { elements.append(try value()) } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw fault("the array does not end") }
        return .array(elements)
    }

    private mutating func string() throws(MessageError) -> String {
        position += 1
        var units: [UInt8] = []
        var start = position
        while let unit = peek {
            switch unit {
            case UInt8(ascii: "\""):
                // Most strings have no escape and are one stretch.
                let last = bytes[start..<position]
                if !units.isEmpty { units += last }
                position += 1
                guard
                    let text = units.isEmpty
                        ? String(validating: last, as: UTF8.self) : String(validating: units, as: UTF8.self)
                else { throw fault("invalid UTF-8") }
                return text
            case UInt8(ascii: "\\"):
                units += bytes[start..<position]
                position += 1
                try escape(into: &units)
                start = position
            case 0..<0x20: throw fault("a control character in a string")
            default: position += 1
            }
        }
        throw fault("the string does not end")
    }

    private mutating func escape(into units: inout [UInt8]) throws(MessageError) {
        guard let unit = peek else { throw fault("the string does not end") }
        position += 1
        switch unit {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(unit)
        case UInt8(ascii: "b"): units.append(0x08)
        case UInt8(ascii: "f"): units.append(0x0C)
        case UInt8(ascii: "n"): units.append(0x0A)
        case UInt8(ascii: "r"): units.append(0x0D)
        case UInt8(ascii: "t"): units.append(0x09)
        case UInt8(ascii: "u"):
            var scalar = try hexadecimal()
            if (0xD800..<0xDC00).contains(scalar), peek == UInt8(ascii: "\\"), position + 1 < bytes.count,
                bytes[position + 1] == UInt8(ascii: "u")
            {
                position += 2
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw fault("a lone surrogate") }
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(scalar) else { throw fault("a lone surrogate") }
            units += Array(String(Character(scalar)).utf8)
        default: throw fault("an unknown escape")
        }
    }

    private mutating func hexadecimal() throws(MessageError) -> UInt32 {
        guard position + 4 <= bytes.count else { throw fault("the string does not end") }
        var number: UInt32 = 0
        for unit in bytes[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(unit)).hexDigitValue, unit < 0x80 else {
                throw fault("four hexadecimal digits expected")
            }
            number = number << 4 | UInt32(digit)
        }
        position += 4
        return number
    }

    private mutating func number() throws(MessageError) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var whole = true
        if take(UInt8(ascii: ".")) {
            whole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            whole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if whole, let number = Int64(text) { return .integer(number) }
        return .decimal(text)
    }

    private mutating func digits() throws(MessageError) {
        let start = position
        while let unit = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(unit) { position += 1 }
        guard position > start else { throw fault("a value expected") }
    }

    private mutating func literal(_ word: String, _ value: JSONValue) throws(MessageError) -> JSONValue {
        let units = Array(word.utf8)
        guard bytes.dropFirst(position).prefix(units.count).elementsEqual(units) else {
            throw fault("a value expected")
        }
        position += units.count
        return value
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ unit: UInt8) -> Bool {
        guard peek == unit else { return false }
        position += 1
        return true
    }

    private mutating func skip(_ unit: UInt8) -> Bool {
        skipSpace()
        return take(unit)
    }

    private mutating func skipSpace() {
        while let unit = peek, unit == 0x20 || unit == 0x0A || unit == 0x0D || unit == 0x09 { position += 1 }
    }

    private func fault(_ what: String) -> MessageError { .malformed("JSON: \(what) at byte \(position)") }
}
