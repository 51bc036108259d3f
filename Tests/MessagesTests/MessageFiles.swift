import FoundationEssentials
import Messages
import TestSupport

/// The schemas and examples of `topology/messages`.
enum MessageFiles {
    static let directory = "\(Repository.root)/topology/messages"

    static func schema(of type: MessageType) throws -> JSONSchema { try JSONSchema.ofMessage(type.rawValue) }

    static func examples(of type: MessageType) throws -> [[UInt8]] {
        try FileManager.default.contentsOfDirectory(atPath: "\(directory)/examples").sorted()
            .filter { $0.hasPrefix("\(type.rawValue).") && $0.hasSuffix(".json") }
            .map { try bytes(at: "\(directory)/examples/\($0)") }
    }

    static func bytes(at path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }
}
