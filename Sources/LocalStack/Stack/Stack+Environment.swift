extension Stack {
    /// The variables of one service: only those it uses.
    public nonisolated func environment(of kind: ServiceKind) -> [String: String] {
        var environment = site.environment(of: kind)
        switch kind {
        case .apnsSender:
            environment["MOBILE_DELIVERY_APPS_FILE"] = providers.appsFile
            environment["MOBILE_DELIVERY_APNS_PRODUCTION_URL"] = providers.apnsProduction
            environment["MOBILE_DELIVERY_APNS_SANDBOX_URL"] = providers.apnsSandbox
            environment["MOBILE_DELIVERY_PROVIDER_CA_FILE"] = providers.caFile
            environment["MOBILE_DELIVERY_TOKEN_KEYS_FILE"] = StackSetup(site).tokenKeysFile
        case .fcmSender:
            environment["MOBILE_DELIVERY_APPS_FILE"] = providers.appsFile
            environment["MOBILE_DELIVERY_FCM_URL"] = providers.fcm
            environment["MOBILE_DELIVERY_OAUTH_URL"] = providers.oauth
            environment["MOBILE_DELIVERY_PROVIDER_CA_FILE"] = providers.caFile
            environment["MOBILE_DELIVERY_TOKEN_KEYS_FILE"] = StackSetup(site).tokenKeysFile
        case .gateway:
            environment["MOBILE_DELIVERY_TOKEN_KEYS_FILE"] = StackSetup(site).tokenKeysFile
            environment["MOBILE_DELIVERY_PRODUCER_CREDENTIALS_FILE"] = StackSetup(site).producerCredentialsFile
        case .relay, .coordinator, .ackRecorder:
            break
        }
        return environment
    }
}
