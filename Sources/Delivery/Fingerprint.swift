/// The keyed digest of a provider token: 32 bytes, the only trace of a token that logs and messages may carry in clear.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// Always 32.
    public let bytes: [UInt8]

    public init?(bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Accepts 64 hexadecimal digits.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Hex.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// 64 lower-case hexadecimal digits, as messages carry it.
    public var description: String { Hex.encode(bytes) }

    /// The first eight digits: what a log line shows.
    public var short: String { Hex.encode(bytes.prefix(4)) }
}
