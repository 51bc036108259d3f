extension ConnectionSettings {
    /// Reads `amqp[s]://user:password@host[:port][,host[:port]…]/vhost?ca=FILE`. User, password and vhost are
    /// percent-decoded, an empty vhost is `/`, an IPv6 host stands in brackets.
    public init(url: String) throws(AMQPError) {
        var rest = url[...]
        if rest.hasPrefix("amqps://") {
            self.init(addresses: [], usesTLS: true)
            rest = rest.dropFirst(8)
        } else if rest.hasPrefix("amqp://") {
            self.init(addresses: [])
            rest = rest.dropFirst(7)
        } else {
            throw .malformed("it must start with amqp:// or amqps://")
        }
        let query = rest.firstIndex(of: "?").map { rest[rest.index(after: $0)...] }
        rest = rest.prefix { $0 != "?" }
        let authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count).dropFirst()
        guard !path.contains("/") else { throw .malformed("a slash in the virtual host must be written %2F") }

        var hosts = authority
        if let at = authority.lastIndex(of: "@") {
            let credentials = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = try Self.decoded(credentials[0], as: "user")
            password = credentials.count == 2 ? try Self.decoded(credentials[1], as: "password") : ""
            guard !user.isEmpty else { throw .malformed("the user is empty") }
            hosts = authority[authority.index(after: at)...]
        }
        for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
            addresses.append(try Self.address(host, defaultPort: usesTLS ? 5671 : 5672))
        }
        let name = try Self.decoded(path, as: "virtual host")
        virtualHost = name.isEmpty ? "/" : name
        try read(query: query ?? "")
    }

    private mutating func read(query: Substring) throws(AMQPError) {
        for item in query.split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, pair[0] == "ca" else {
                throw .malformed("unknown parameter \"\(pair[0])\"; only ca=FILE is understood")
            }
            guard usesTLS else { throw .malformed("ca=FILE needs amqps://") }
            authorityFile = try Self.decoded(pair[1], as: "ca")
            guard !authorityFile.isEmpty else { throw .malformed("ca= names no file") }
        }
    }

    private static func address(_ text: Substring, defaultPort: Int) throws(AMQPError) -> Address {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw .malformed("\"[\" without \"]\" in the host") }
            host = text[text.index(after: text.startIndex)..<end]
            let tail = text[text.index(after: end)...]
            guard tail.isEmpty || tail.hasPrefix(":") else { throw .malformed("only :port may follow \"]\"") }
            port = tail.isEmpty ? nil : tail.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard !host.isEmpty else { throw .malformed("a host is empty") }
        guard let port else { return Address(host: String(host), port: defaultPort) }
        guard let number = Int(port), (1...65_535).contains(number) else {
            throw .malformed("\"\(port)\" is no port (1 to 65535)")
        }
        return Address(host: String(host), port: number)
    }

    /// The text itself is not repeated in the error: it may be the password.
    private static func decoded(_ text: Substring, as part: String) throws(AMQPError) -> String {
        var bytes: [UInt8] = []
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit) else {
                throw .malformed("the \(part) has a % that two hexadecimal digits don't follow")
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw .malformed("the \(part) is not UTF-8 after decoding")
        }
        return decoded
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension AMQPError {
    fileprivate static func malformed(_ what: String) -> AMQPError {
        AMQPError(.malformedURL, "the AMQP address can't be read: \(what)")
    }
}
