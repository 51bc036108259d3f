public import Daemon

extension SendingSettings {
    /// Reads `MOBILE_DELIVERY_SENDER_…`; faults are collected by the reader.
    public init(_ reader: EnvironmentReader) {
        self.init()
        let name = "MOBILE_DELIVERY_SENDER_"
        let short: ClosedRange<Duration> = .milliseconds(1) ... .seconds(3600)
        requestTimeout = reader.duration("\(name)REQUEST_TIMEOUT", default: requestTimeout, in: short)
        clockTolerance = reader.duration("\(name)CLOCK_TOLERANCE", default: clockTolerance)
        tries = reader.integer("\(name)TRIES", default: tries, in: 1...10)
        concurrency = reader.integer("\(name)CONCURRENCY", default: concurrency, in: 1...2000)
        acceptancesKept = reader.integer("\(name)ACCEPTANCES_KEPT", default: acceptancesKept, in: 1...10_000_000)
        batchLimit = reader.integer("\(name)OUTCOME_BATCH", default: batchLimit, in: 1...200)
        batchCut = reader.duration("\(name)OUTCOME_CUT", default: batchCut, in: .zero ... .seconds(10))
        confirmTimeout = reader.duration("\(name)CONFIRM_TIMEOUT", default: confirmTimeout, in: short)
        pauseFirst = reader.duration("\(name)PAUSE_FIRST", default: pauseFirst, in: short)
        pauseLongest = reader.duration("\(name)PAUSE_LONGEST", default: pauseLongest, in: short)
        brakeWindow = reader.integer("\(name)BRAKE_WINDOW", default: brakeWindow, in: 1...100_000)
        brakeSuspicions = reader.integer("\(name)BRAKE_SUSPICIONS", default: brakeSuspicions, in: 1...100_000)
        troubleLimit = reader.integer("\(name)TROUBLE_LIMIT", default: troubleLimit, in: 1...100_000)
        credentialCheck = reader.duration("\(name)CREDENTIAL_CHECK", default: credentialCheck, in: short)
        flushTimeout = reader.duration("\(name)FLUSH_TIMEOUT", default: flushTimeout, in: short)
        dryRunReturn = reader.duration(
            "\(name)DRY_RUN_RETURN", default: dryRunReturn, in: .seconds(1) ... .seconds(3600))
    }
}
