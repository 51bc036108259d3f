/// How often enrolment may be asked for: of one address, and with one ticket.
struct EnrolmentLimits: Sendable {
    /// Nil = no limit.
    private let addresses: RateLimiter<String>?
    private let tickets: RateLimiter<[UInt8]>?

    init(_ settings: Configuration) {
        addresses = Self.limiter(settings.enrolmentRate)
        tickets = Self.limiter(settings.enrolmentTicketRate)
    }

    func check(address: String) throws(Problem) { try addresses?.check(address) }

    /// By the ticket's digest.
    func check(ticket: [UInt8]) throws(Problem) { try tickets?.check(ticket) }

    /// A minute's calls at once.
    private static func limiter<Caller>(_ perMinute: Int) -> RateLimiter<Caller>? {
        perMinute == 0 ? nil : RateLimiter(rate: Double(perMinute) / 60, burst: Double(perMinute))
    }
}
