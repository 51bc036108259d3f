/// Why a run measured nothing that can be told.
public struct Unusable: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
