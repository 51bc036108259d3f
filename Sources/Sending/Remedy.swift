import Delivery

/// What an operator can do about a pause; goes into the log line that raises the alarm.
enum Remedy {
    static func text(_ reason: String, _ extent: PauseExtent) -> String {
        switch (reason, extent) {
        case ("clock", _): "set the clock of this host: it differs from the database's"
        case (_, .process): "see that this host resolves and reaches the provider, and that its token keys are complete"
        case (_, .credential):
            "check the app's key, team or service account and its rights in the apps file; sending resumes by itself"
        case (_, .route):
            "check the app's bundle id and the tokens' environment in the apps file; `dead list` shows a faulty request"
        }
    }
}
