/// The steps of a hint that have an instant; latencies are from the intended arrival of its job to it.
public enum Stage: String, CaseIterable, Sendable {
    /// `commit_job`'s transaction returned to the producer.
    case commit
    /// The hint came to a queue that is bound as the sender's is.
    case publish
    /// The first request for it reached the provider.
    case send
    /// The provider's first acceptance left it.
    case accept
    /// The end of the entry is in the database.
    case record
    /// A phone has the job.
    case fetch
    /// It stored the document.
    case persist
    /// The recorder has its acknowledgement.
    case ack
    /// All of the job's devices are done.
    case complete
}
