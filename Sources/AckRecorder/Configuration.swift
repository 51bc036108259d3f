public import Delivery

/// What a recorder may be told; the defaults are those of the decisions.
public struct Configuration: Equatable, Sendable {
    /// Most acks or dead letters in one transaction; messages with outcomes hold up to 200 each and are taken by the
    /// twentieth part of it.
    public var batch = 200
    /// How long a batch waits for more after its first message.
    public var batchWait: Duration = .milliseconds(20)
    public var prefetch = 400
    /// How long a transaction may take before its connection is given up and the batch is tried again; longer than the
    /// role's `statement_timeout`, which ends only the statement.
    public var databaseDeadline: Duration = .seconds(17)
    /// Longest pause between attempts while the database is away.
    public var longestPause: Duration = .seconds(5)
    /// How long the broker may take to confirm a dead letter.
    public var confirmDeadline: Duration = .seconds(10)

    public var backoff = Backoff()
    public var budget = FailureBudget()
    /// Wait after `returned(unprocessed)` without a `Retry-After`.
    public var unprocessedWait: Duration = .seconds(2)

    public var judgement = TokenJudgement()
    /// How often the recorder looks for tokens to judge.
    public var judgeInterval: Duration = .seconds(5)
    /// For how long a trial of a set-aside token may be published.
    public var trial: Duration = .seconds(120)
    /// Answers are counted by stretches of this length.
    public var window: Duration = .seconds(60)
    /// Counts are kept for so long.
    public var windowLife: Duration = .seconds(24 * 3600)

    public init() {}

    var outcomeBatch: Int { max(1, batch / 20) }
}
