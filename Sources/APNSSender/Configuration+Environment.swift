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
        client.connections = reader.integer(
            "MOBILE_DELIVERY_APNS_CONNECTIONS", default: client.connections, in: 1...64)
        client.trust = reader.optionalString("MOBILE_DELIVERY_PROVIDER_CA_FILE").map { .file($0) } ?? .system
        sending = SendingSettings(reader)
    }
}
