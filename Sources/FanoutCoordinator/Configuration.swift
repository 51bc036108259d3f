/// Intervals, ages and limits of one coordinator.
public struct Configuration: Equatable, Sendable {
    /// How often it looks for work that no event rang for; every look is up to a fifth later, so that many don't meet.
    public var sweepInterval: Duration = .seconds(5)
    /// How old a submission, cancellation or revocation must be to be taken without its event.
    public var unrungAfter: Duration = .seconds(30)
    /// How long a submission that was taken is left to its taker.
    public var fanoutHold: Duration = .seconds(60)
    /// Longest wait for the broker's word on one message.
    public var publishTimeout: Duration = .seconds(15)
    /// Until a submission that the broker did not take whole is tried again.
    public var fanoutPause: Duration = .seconds(5)
    /// Messages of one fan-out under way at once; each holds a ciphertext of up to 256 KiB.
    public var publishWindow = 4
    /// Rows of one kind that one statement takes.
    public var batch = 100
    /// Events that are worked on at once.
    public var prefetch = 16
    /// From a job's end to the deletion of its body and sealed keys.
    public var purgeAfter: Duration = .seconds(3600)
    /// From the end of a fan-out to the deletion of its ciphertexts, which `outbox resend` needs.
    public var ciphertextRetention: Duration = .seconds(7 * 86_400)
    /// How often it counts what is stuck.
    public var watchInterval: Duration = .seconds(30)
    /// How long a device may be through with a job whose fan-out nobody hands in, before an alarm is raised.
    public var stuckLeaseAfter: Duration = .seconds(3600)
    /// Age of a submission that is not published, at which an alarm is raised.
    public var stuckFanoutAfter: Duration = .seconds(120)
    /// How often it looks for open jobs to which nothing will happen any more: a look at every open job.
    public var finalJobsInterval: Duration = .seconds(600)
    /// How long ago a job's last step must be for it to be one of them.
    public var finalJobsAfter: Duration = .seconds(300)
    /// Partitions are made for so many days ahead.
    public var partitionDays = 7

    public init() {}
}
