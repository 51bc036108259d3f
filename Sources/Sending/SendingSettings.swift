/// How a sender works, whatever the provider. Every time is a setting, so that tests run with seconds.
public struct SendingSettings: Equatable, Sendable {
    /// From the start of a request to its answer.
    public var requestTimeout = Duration.seconds(15)
    /// How far this host's clock and the database's may lie apart.
    public var clockTolerance = Duration.seconds(5)
    /// Requests that provably did nothing are tried so often in all.
    public var tries = 3
    /// Hints of one route in hand at most: the consumer's prefetch grows from 1 to this.
    public var concurrency = 1000
    /// Acceptances that the process remembers.
    public var acceptancesKept = 100_000
    /// Outcomes in one message at most.
    public var batchLimit = 200
    /// How long an outcome waits for others.
    public var batchCut = Duration.milliseconds(5)
    /// For the broker's confirm of an outcome; then it is published again.
    public var confirmTimeout = Duration.seconds(10)
    /// From a pause to the first probe; doubles with each that fails.
    public var pauseFirst = Duration.seconds(30)
    public var pauseLongest = Duration.seconds(600)
    /// The quick brake looks at so many answers of a route …
    public var brakeWindow = 100
    /// … and trips when at least so many of them, and at least half, suspect the token.
    public var brakeSuspicions = 10
    /// Hints in a row that reached no provider: more is this process's own trouble.
    public var troubleLimit = 20
    /// How often key files and service account files are looked at: one that changed is used from then on.
    public var credentialCheck = Duration.seconds(10)
    /// From SIGTERM on, for confirms once no request is open.
    public var flushTimeout = Duration.seconds(2)
    /// Hints are checked and given back, and nobody is rung (B7); `--dry-run` says so, no variable does.
    public var isDryRun = false
    /// When a hint that a dry run gave back is published again.
    public var dryRunReturn = Duration.seconds(60)

    public init() {}
}

extension Duration {
    /// Whole milliseconds, as messages count time.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
