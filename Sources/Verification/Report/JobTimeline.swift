public import Delivery

/// What happened to one job, as the server and the phones tell it.
public struct JobTimeline: Sendable {
    public struct Event: Sendable, Equatable {
        /// Epoch milliseconds.
        public let at: Int64
        /// "server", or a phone's name.
        public let lane: String
        public let what: String
        public let detail: String

        public init(at: Int64, lane: String, what: String, detail: String = "") {
            self.at = at
            self.lane = lane
            self.what = what
            self.detail = detail
        }
    }

    public let job: Identifier
    public let purpose: String
    /// In their order.
    public let events: [Event]

    public init(job: Identifier, purpose: String, events: [Event]) {
        self.job = job
        self.purpose = purpose
        self.events = events
    }
}
