public import Delivery

/// One row of the durable work table: everything a device has to know to go on with a job after any crash.
public struct LocalJob: Equatable, Sendable {
    /// How far generation is.
    public enum Stage: String, Sendable, CaseIterable {
        /// Known by id only. Can go on to fetched, gone.
        case hinted
        /// The encrypted job is stored. Can go on to claimed, gone.
        case fetched
        /// The server knows that this device works on it. Can go on to generated, rejected.
        case claimed
        /// The receipt is stored; never left again.
        case generated
        /// Cannot be generated here, for `rejection`; never left again.
        case rejected
        /// The server has nothing to do for us any more. Back to hinted if a listing names it again.
        case gone
    }

    /// What this device still may have to do downstream.
    public enum Fanout: String, Sendable, CaseIterable {
        /// Before the fetch.
        case unknown
        /// No recipients.
        case notNeeded
        /// This device tries to be elected. Can go on to over, givenUp.
        case open
        /// Submitted by somebody, or closed.
        case over
        /// The server refused our ciphertexts for good; the lease is given back.
        case givenUp
    }

    /// The lease this device holds, as granted; the server alone judges whether it still stands.
    public struct Lease: Equatable, Sendable {
        public var epoch: Int64
        public var nonce: Identifier

        public init(epoch: Int64, nonce: Identifier) {
            self.epoch = epoch
            self.nonce = nonce
        }
    }

    /// The acknowledgement (or refusal) of this device.
    public enum Report: String, Sendable, CaseIterable {
        case none
        /// Its body is stored and has to be sent.
        case pending
        /// Answered 202; sent again whenever a listing still names the job.
        case sent
    }

    public let job: Identifier
    public var documentType: DocumentType
    /// What made the device look first.
    public var origin: Origin
    public var stage: Stage
    public var fanout: Fanout
    public var report: Report
    /// Word of `FailureReason`, with stage rejected.
    public var rejection: String?
    /// BLAKE2b-256 of the receipt, from stage generated on.
    public var digest: [UInt8]?
    /// Body of the ack or nack, written before it is first sent.
    public var reportBody: [UInt8]?
    /// Id of the current attempt to get the lease, written before it is first asked for.
    public var attempt: Identifier?
    public var lease: Lease?
    /// Failed attempts in a row of whatever step is next.
    public var failures: Int
    /// Epoch milliseconds of the phone's clock.
    public var retryAt: Int64?
    /// The same for the election alone, which does not hold up the report.
    public var fanoutRetryAt: Int64?
    public var createdAt: Int64

    public init(job: Identifier, documentType: DocumentType, origin: Origin, createdAt: Int64) {
        self.job = job
        self.documentType = documentType
        self.origin = origin
        self.createdAt = createdAt
        stage = .hinted
        fanout = .unknown
        report = .none
        failures = 0
    }
}
