import Delivery

/// An account of a test with everything that its hints can be told by.
struct LoadAccount: Sendable {
    struct Device: Equatable, Sendable {
        let id: Identifier
        let route: Route
        /// As it stands in the provider's requests.
        let token: String
    }

    let name: String
    let devices: [Device]
    /// Its devices are phones that fetch and open what comes.
    var hasPhones = false
}
