/// What a client tells whoever counts; called on its thread, so that it must be quick.
public enum ClientEvent: Hashable, Sendable {
    /// TLS and HTTP/2 are agreed.
    case opened
    /// An attempt that never became a connection. The text is safe to log.
    case failed(String)
    /// A connection was given up after silence.
    case condemned
    /// By the reason in APNs' debug data, or the debug text, or the error code's name.
    case goAway(String)
    /// A whole answer, and how long after its stream began.
    case answered(after: Duration)
}
