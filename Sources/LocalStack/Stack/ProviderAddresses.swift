import Daemon

/// What the provider simulator says of itself when it listens.
public struct ProviderAddresses: Equatable, Sendable {
    /// Journal, deliveries and scripts, over plain HTTP.
    public let control: String
    let apnsProduction: String
    let apnsSandbox: String
    let fcm: String
    let oauth: String
    let caFile: String
    /// The apps file whose keys the simulator accepts.
    public let appsFile: String

    init(_ fields: [String: String]) throws(CommandFailure) {
        func field(_ name: String) throws(CommandFailure) -> String {
            guard let value = fields[name] else {
                throw CommandFailure(.software, "the provider simulator did not say where its '\(name)' is")
            }
            return value
        }
        control = try field("control")
        apnsProduction = try field("apnsProduction")
        apnsSandbox = try field("apnsSandbox")
        fcm = try field("fcm")
        oauth = try field("oauth")
        caFile = try field("caFile")
        appsFile = try field("appsFile")
    }
}
