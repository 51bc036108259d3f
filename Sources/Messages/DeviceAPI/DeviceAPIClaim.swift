/// Answer 200 of `POST /v1/jobs/{jobId}/claim` (no body): the first claim's time, whoever asks how often.
public struct DeviceAPIClaim: Equatable, Sendable {
    public var state: DeviceAPIJobState
    /// Epoch milliseconds.
    public var claimedAt: Int64
    public var fanout: DeviceAPIFanout

    public init(state: DeviceAPIJobState, claimedAt: Int64, fanout: DeviceAPIFanout) {
        self.state = state
        self.claimedAt = claimedAt
        self.fanout = fanout
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("state", state.rawValue)
            $0.member("claimedAt", claimedAt)
            $0.member("fanout", fanout.rawValue)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            state: try reader.word("state"),
            claimedAt: try reader.integer("claimedAt"),
            fanout: try reader.word("fanout"))
    }
}
