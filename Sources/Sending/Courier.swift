public import Delivery
public import Messages

/// What a provider's sender adds to `Sending`: its requests and its credentials.
public protocol Courier: Sendable {
    /// One request for one hint, ended by `deadline`. `token` is in clear and must not be kept.
    func send(_ hint: Hint, token: String, deadline: ContinuousClock.Instant) async -> Judgement

    /// What the provider would make of the hint, as far as can be told without ringing anybody (B7).
    func rehearse(_ hint: Hint, token: String, deadline: ContinuousClock.Instant) async -> Rehearsal

    /// The answer to a request that can ring nobody; nil if it proves that the route's credential is good.
    func probe(_ route: Route, deadline: ContinuousClock.Instant) async -> Judgement?

    /// The provider refused the credential of the route: makes a new one, as far as its limits allow.
    func renewCredential(of route: Route) async

    /// The provider saw too many new credentials.
    func holdCredential(of route: Route) async

    /// Later requests of the route travel on new connections.
    func reconnect(_ route: Route) async

    /// Names the credential that the route uses; routes that share it pause together.
    func credential(of route: Route) -> String

    /// Keeps what the route sends under the provider's quota; nil where the provider names none.
    func pacer(of route: Route) -> Pacer?

    /// Keeps credentials fresh until the task is cancelled.
    func run() async

    /// Ends every open request: each comes back unprocessed or ambiguous.
    func close() async
}
