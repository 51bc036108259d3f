/// How a provider names an installation: a registration token, or a Firebase installation id.
public enum TokenKind: String, Hashable, Sendable, CaseIterable {
    case token, fid
}
