public import Daemon
import Delivery

extension Configuration {
    /// Reads every setting of the recorder; errors are collected by `reader`.
    public init(_ reader: EnvironmentReader) {
        self.init()
        batch = reader.integer("MOBILE_DELIVERY_RECORDER_BATCH", default: batch, in: 1...1000)
        batchWait = reader.duration("MOBILE_DELIVERY_RECORDER_BATCH_WAIT", default: batchWait)
        prefetch = reader.integer("MOBILE_DELIVERY_RECORDER_PREFETCH", default: prefetch, in: 1...2000)
        databaseDeadline = reader.duration(
            "MOBILE_DELIVERY_RECORDER_DATABASE_DEADLINE", default: databaseDeadline,
            in: .milliseconds(100) ... .seconds(600))
        longestPause = reader.duration("MOBILE_DELIVERY_RECORDER_LONGEST_PAUSE", default: longestPause)
        confirmDeadline = reader.duration("MOBILE_DELIVERY_CONFIRM_DEADLINE", default: confirmDeadline)
        backoff.base = reader.duration("MOBILE_DELIVERY_BACKOFF_BASE", default: backoff.base)
        backoff.cap = reader.duration("MOBILE_DELIVERY_BACKOFF_CAP", default: backoff.cap)
        backoff.longestRetryAfter = reader.duration(
            "MOBILE_DELIVERY_RETRY_AFTER_CAP", default: backoff.longestRetryAfter)
        backoff.apnsDeviceFloor = reader.duration("MOBILE_DELIVERY_APNS_DEVICE_FLOOR", default: backoff.apnsDeviceFloor)
        backoff.fcmQuotaFloor = reader.duration("MOBILE_DELIVERY_FCM_QUOTA_FLOOR", default: backoff.fcmQuotaFloor)
        backoff.fcmServerFloor = reader.duration("MOBILE_DELIVERY_FCM_SERVER_FLOOR", default: backoff.fcmServerFloor)
        unprocessedWait = reader.duration("MOBILE_DELIVERY_UNPROCESSED_WAIT", default: unprocessedWait)
        budget.failures = reader.integer("MOBILE_DELIVERY_BUDGET_FAILURES", default: budget.failures, in: 1...10_000)
        budget.span = reader.duration("MOBILE_DELIVERY_BUDGET_SPAN", default: budget.span)
        budget.disputes = reader.integer("MOBILE_DELIVERY_TOKEN_DISPUTES", default: budget.disputes, in: 1...1000)
        judgement.delay = reader.duration("MOBILE_DELIVERY_TOKEN_JUDGE_AFTER", default: judgement.delay)
        judgement.longestDelay = reader.duration("MOBILE_DELIVERY_TOKEN_JUDGE_LONGEST", default: judgement.longestDelay)
        judgement.trialsPerRoute = reader.integer("MOBILE_DELIVERY_TOKEN_TRIALS", default: judgement.trialsPerRoute)
        judgement.believedSuspicions = reader.integer(
            "MOBILE_DELIVERY_TOKEN_BELIEVED_SUSPICIONS", default: judgement.believedSuspicions)
        judgeInterval = reader.duration(
            "MOBILE_DELIVERY_TOKEN_JUDGE_INTERVAL", default: judgeInterval, in: .milliseconds(10) ... .seconds(3600))
        trial = reader.duration("MOBILE_DELIVERY_TOKEN_TRIAL", default: trial)
        window = reader.duration(
            "MOBILE_DELIVERY_ROUTE_WINDOW", default: window, in: .milliseconds(10) ... .seconds(3600))
        windowLife = reader.duration("MOBILE_DELIVERY_ROUTE_WINDOW_LIFE", default: windowLife)
    }
}
