/// One setting as a command read it: what `check-config` prints.
public struct Setting: Equatable, Sendable {
    public var name: String
    /// Effective value; nil when it is not set and has no default, `•••` for secrets.
    public var value: String?
    public var isDefault: Bool
}
