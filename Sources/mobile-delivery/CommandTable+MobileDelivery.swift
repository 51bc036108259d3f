import Daemon

extension CommandTable {
    /// Every command of the executable that runs in production. Each is a `static let` in a file of its own.
    static let mobileDelivery = CommandTable(
        program: "mobile-delivery",
        summary: "Push hints for encrypted receipt generation: the services and their tools.",
        commands: [
            .apnsSender,
            .checkConfig,
            .coordinator,
            .deadDiscard,
            .deadHistory,
            .deadList,
            .deadReplay,
            .deadShow,
            .deadSweep,
            .fcmSender,
            .gateway,
            .migrate,
            .outboxShow,
            .outboxRetryNow,
            .outboxRelease,
            .outboxExpire,
            .outboxResend,
            .relay,
            .routeList,
            .routePause,
            .routeResume,
            .status,
            .tokenClear,
            .tokenLift,
            .topologyLint,
            .topologyPlan,
            .topologyApply,
            .topologyCheck,
            .ackRecorder,
        ])
}
