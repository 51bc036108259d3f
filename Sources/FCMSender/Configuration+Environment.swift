public import Daemon
import HTTP2
import Sending

extension Configuration {
    /// Reads `MOBILE_DELIVERY_FCM_…` and what all senders share; faults are collected by the reader.
    public init(_ reader: EnvironmentReader) {
        self.init()
        origin =
            reader.value(
                "MOBILE_DELIVERY_FCM_URL", required: false,
                expected: "an https address such as https://fcm.googleapis.com"
            ) { HTTP2.Origin(url: $0) } ?? origin
        tokenEndpoint = reader.value(
            "MOBILE_DELIVERY_OAUTH_URL", required: false,
            expected: "the whole address of a token endpoint such as https://oauth2.googleapis.com/token"
        ) { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil }
        caFile = reader.optionalString("MOBILE_DELIVERY_PROVIDER_CA_FILE")
        client = ClientSettings(reader, provider: "FCM", defaults: .fcm)
        proxy = ProviderProxy(reader)
        quotaPerMinute = reader.integer(
            "MOBILE_DELIVERY_FCM_QUOTA", default: quotaPerMinute, in: 1...1_000_000_000)
        senders = reader.integer("MOBILE_DELIVERY_FCM_SENDERS", default: senders, in: 1...10_000)
        ramp = reader.duration("MOBILE_DELIVERY_FCM_RAMP", default: ramp, in: .zero ... .seconds(3600))
        sending = SendingSettings(reader)
    }
}
