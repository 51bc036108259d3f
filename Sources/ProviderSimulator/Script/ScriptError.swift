/// What is wrong with a script or a configuration, with its place.
public struct ScriptError: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
