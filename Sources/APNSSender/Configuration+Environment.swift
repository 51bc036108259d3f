public import Daemon
import HTTP2
import Sending

extension Configuration {
    /// Reads `MOBILE_DELIVERY_APNS_…` and what all senders share; faults are collected by the reader.
    public init(_ reader: EnvironmentReader) {
        self.init()
        let expected = "an https address such as https://api.push.apple.com"
        production =
            reader.value("MOBILE_DELIVERY_APNS_PRODUCTION_URL", required: false, expected: expected) {
                Origin(url: $0)
            } ?? production
        sandbox =
            reader.value("MOBILE_DELIVERY_APNS_SANDBOX_URL", required: false, expected: expected) {
                Origin(url: $0)
            } ?? sandbox
        client = ClientSettings(reader, provider: "APNS", defaults: .apns)
        proxy = ProviderProxy(reader)
        sending = SendingSettings(reader)
    }
}
