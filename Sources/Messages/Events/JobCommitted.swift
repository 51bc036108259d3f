public import Delivery

/// Event `job.committed.v1`: a job and its outbox rows are durable; announced only if someone asks for it by setting.
public struct JobCommitted: Equatable, Sendable {
    public var job: Identifier
    public var account: String
    /// The database's clock in epoch milliseconds.
    public var at: Int64

    public init(job: Identifier, account: String, at: Int64) {
        self.job = job
        self.account = account
        self.at = at
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("version", 1)
            $0.member("job", job.description)
            $0.member("account", account)
            $0.member("at", at)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        try reader.version(1)
        self.init(
            job: try reader.identifier("job"), account: try reader.string("account"),
            at: try reader.integer("at"))
    }
}
