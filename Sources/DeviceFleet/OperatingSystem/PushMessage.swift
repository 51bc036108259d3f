/// One push on its way to a phone.
public struct PushMessage: Equatable, Sendable {
    public var payload: [UInt8]
    /// As sent; the phone may be given less.
    public var isHigh: Bool
    /// Epoch milliseconds of the push service.
    public var expiresAt: Int64

    public init(payload: [UInt8], isHigh: Bool = true, expiresAt: Int64 = .max) {
        self.payload = payload
        self.isHigh = isHigh
        self.expiresAt = expiresAt
    }
}
