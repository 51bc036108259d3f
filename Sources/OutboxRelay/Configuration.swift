public import Delivery

/// Everything that the relay waits for, holds and gives up after.
public struct Configuration: Sendable {
    /// From a claim to the hint's deadline; the confirm moves the lease to as long after itself.
    public var lease: Duration = .seconds(120)
    /// Of an event; an unknown one is published again after it.
    public var eventLease: Duration = .seconds(60)
    /// Longest wait for the broker's confirm; afterwards the publish is unknown.
    public var confirmWithin: Duration = .seconds(10)
    /// Messages on their way to the broker at once.
    public var window = 1000
    /// Most rows that one claim takes.
    public var claimLimit = 1000
    /// How often the database is asked for routes and the broker for queues.
    public var askEvery: Duration = .milliseconds(250)
    /// Soonest that the queues are asked about again when a cap holds the relay back.
    public var askAgainAfter: Duration = .milliseconds(25)
    /// An answer older than this is no answer.
    public var answerFreshFor: Duration = .seconds(3)
    public var flow = RelayQueueFlow.Limits()
    /// No hint is published while `recorder.outcomes` holds more messages.
    public var outcomesCap = 5000
    /// Between a deadline and the empty queues that prove it over.
    public var proofMargin: Duration = .seconds(30)
    /// After this long since its publish a row is published again while all three queues have a consumer.
    public var staleAfter: Duration = .seconds(1800)
    public var floorSlack: Duration = .milliseconds(250)
    public var sweepEvery: Duration = .seconds(1)
    public var pace = RelayPace()
    public var breakerFirst: Duration = .seconds(1)
    public var breakerLongest: Duration = .seconds(30)
    /// A row whose leases ended this often without a word is published alone.
    public var suspectAfter = 3
    public var buryAfter = 8
    public var silentAfter = 10
    public var settleEvery: Duration = .milliseconds(40)
    public var settleAt = 500
    /// A breaker open, or no claim succeeded, for this long: not ready.
    public var unreadyAfter: Duration = .seconds(30)
    public var measureEvery: Duration = .seconds(15)
    public var partitionsEvery: Duration = .seconds(3600)
    /// A count of `due` that is younger is shared, not made again.
    public var countEvery: Duration = .seconds(10)
    /// Longest that the history of a push outlives its job, and an event the day it was announced.
    public var historyRetention: Duration = .seconds(7 * 86_400)
    public var eventRetention: Duration = .seconds(7 * 86_400)
    /// A transaction that keeps dead rows for longer is named in the log.
    public var oldSnapshotAfter: Duration = .seconds(300)

    public init() {}
}
