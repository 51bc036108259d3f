/// What a server does about a request.
public enum Reply: Sendable {
    /// At once, without leaving the server's thread.
    case answer(Response)
    case reset(ErrorCode)
    /// The stream stays open for as long as the client likes.
    case never
    /// A task of its own decides, through the exchange.
    case later(@Sendable (Exchange) async -> Void)
}
