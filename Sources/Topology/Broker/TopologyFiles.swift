public import Daemon
import FoundationEssentials

/// Reads the folder `topology/`. Every failure is one line that names the file.
public struct TopologyFiles: Sendable {
    public let directory: String

    public init(directory: String) { self.directory = directory }

    public func definitions() throws(CommandFailure) -> BrokerDefinitions { try read("definitions.json") }

    public func users() throws(CommandFailure) -> [UserDefinition] { try read("users.json") }

    /// The outsiders of this deployment; none if there is no `outsiders.json`.
    public func outsiders() throws(CommandFailure) -> Outsiders {
        guard FileManager.default.fileExists(atPath: path("outsiders.json")) else { return Outsiders() }
        let outsiders: Outsiders = try read("outsiders.json")
        for name in (outsiders.events + outsiders.downstream).map(\.name)
        where !name.utf8.allSatisfy(Self.isNameByte) || !(1...40).contains(name.utf8.count) {
            throw CommandFailure(.dataError, "\(path("outsiders.json")): name '\(name)' must match [a-z0-9-]{1,40}")
        }
        return outsiders
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    private func read<Value: Decodable>(_ name: String) throws(CommandFailure) -> Value {
        guard let data = FileManager.default.contents(atPath: path(name)) else {
            throw CommandFailure(
                .noInput, "cannot read \(path(name)): set MOBILE_DELIVERY_TOPOLOGY_DIRECTORY to the folder that has it")
        }
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            throw CommandFailure(.dataError, "\(path(name)) is not what it should be: \(Self.words(error))")
        }
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        return switch error {
        case .keyNotFound(let key, let context): "\(key.stringValue) is missing at \(place(context))"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            "\(context.debugDescription) at \(place(context))"
        @unknown default: "\(error)"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        return path.isEmpty ? "the top" : path.joined(separator: ".")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
