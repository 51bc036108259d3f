public import Daemon

extension Configuration {
    /// Reads the settings of a coordinator; errors are collected in `reader`.
    public init(_ reader: EnvironmentReader) {
        self.init()
        let atLeastOneMillisecond = Duration.milliseconds(1) ... .seconds(366 * 86_400)
        func interval(_ name: String, _ value: inout Duration) {
            value = reader.duration("MOBILE_DELIVERY_\(name)", default: value, in: atLeastOneMillisecond)
        }
        interval("COORDINATOR_SWEEP_INTERVAL", &sweepInterval)
        interval("COORDINATOR_UNRUNG_AFTER", &unrungAfter)
        interval("COORDINATOR_FANOUT_HOLD", &fanoutHold)
        interval("COORDINATOR_PUBLISH_TIMEOUT", &publishTimeout)
        interval("COORDINATOR_FANOUT_PAUSE", &fanoutPause)
        interval("COORDINATOR_WATCH_INTERVAL", &watchInterval)
        interval("COORDINATOR_FINAL_JOBS_INTERVAL", &finalJobsInterval)
        interval("COORDINATOR_FINAL_JOBS_AFTER", &finalJobsAfter)
        interval("STUCK_LEASE_AFTER", &stuckLeaseAfter)
        interval("STUCK_FANOUT_AFTER", &stuckFanoutAfter)
        interval("PURGE_AFTER", &purgeAfter)
        interval("CIPHERTEXT_RETENTION", &ciphertextRetention)
        publishWindow = reader.integer(
            "MOBILE_DELIVERY_COORDINATOR_PUBLISH_WINDOW", default: publishWindow, in: 1...64)
        batch = reader.integer("MOBILE_DELIVERY_COORDINATOR_BATCH", default: batch, in: 1...10_000)
        prefetch = reader.integer("MOBILE_DELIVERY_COORDINATOR_PREFETCH", default: prefetch, in: 1...1_000)
        partitionDays = reader.integer("MOBILE_DELIVERY_PARTITION_DAYS", default: partitionDays, in: 1...60)
        if publishTimeout > fanoutHold {
            reader.report(
                "MOBILE_DELIVERY_COORDINATOR_PUBLISH_TIMEOUT",
                "must not be longer than MOBILE_DELIVERY_COORDINATOR_FANOUT_HOLD")
        }
    }
}
