/// Why a file of an app cannot be read; one line.
public struct ArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
