import FoundationEssentials
import Messages
import TestSupport
import Testing

/// Reads a message of that type and writes it again.
private func rewritten(_ type: MessageType, _ bytes: [UInt8]) throws(MessageError) -> [UInt8] {
    switch type {
    case .hint: try Hint(decoding: bytes).encoded()
    case .outcome: try OutcomeBatch(decoding: bytes).encoded()
    case .ack: try DeviceAck(decoding: bytes).encoded()
    case .deadHint: try DeadHint(decoding: bytes).encoded()
    case .downstream: try DownstreamMessage(decoding: bytes).encoded()
    case .jobCommitted: try JobCommitted(decoding: bytes).encoded()
    case .jobSubmitted: try JobSubmitted(decoding: bytes).encoded()
    case .jobExpired: try JobExpired(decoding: bytes).encoded()
    case .jobCancelled: try JobCancelled(decoding: bytes).encoded()
    case .jobCompleted: try JobCompleted(decoding: bytes).encoded()
    case .deviceRevoked: try DeviceRevoked(decoding: bytes).encoded()
    case .deviceFailed: try DeviceFailed(decoding: bytes).encoded()
    case .deviceAcknowledged: try DeviceAcknowledged(decoding: bytes).encoded()
    case .tokenCleared: try TokenCleared(decoding: bytes).encoded()
    }
}

@Suite struct MessageSchemaTests {
    @Test(arguments: MessageType.allCases)
    func `every example validates, is read, and is written as it was`(type: MessageType) throws {
        let schema = try MessageFiles.schema(of: type)
        let examples = try MessageFiles.examples(of: type)
        #expect(!examples.isEmpty)
        for example in examples {
            let value = try JSONValue(parsing: example)
            try schema.check(value)
            let again = try JSONValue(parsing: rewritten(type, example))
            #expect(again == value)
            try schema.check(again)
        }
    }

    @Test(arguments: MessageType.allCases)
    func `a message without a required field is refused by schema and reader`(type: MessageType) throws {
        let schema = try MessageFiles.schema(of: type)
        let example = try JSONValue(parsing: #require(MessageFiles.examples(of: type).first))
        for name in (schema.root["required"]?.array ?? []).compactMap(\.string) {
            var members = try #require(example.object)
            members[name] = nil
            let value = JSONValue.object(members)
            #expect(throws: JSONSchema.Fault.self) { try schema.check(value) }
            if name != "environment" {
                #expect(throws: MessageError.self) { try rewritten(type, value.encoded()) }
            }
        }
    }

    @Test(arguments: MessageType.allCases)
    func `a field from the future is ignored, a version from the future refused`(type: MessageType) throws {
        let example = try #require(MessageFiles.examples(of: type).first)
        var members = try #require(JSONValue(parsing: example).object)
        members["future"] = .array([.bool(true)])
        #expect(throws: Never.self) { try rewritten(type, JSONValue.object(members).encoded()) }
        members["version"] = .integer(2)
        #expect(throws: MessageError.unknownVersion(2)) {
            try rewritten(type, JSONValue.object(members).encoded())
        }
    }

    @Test(arguments: MessageType.allCases)
    func `cut anywhere, a message is refused and nothing traps`(type: MessageType) throws {
        let example = try #require(MessageFiles.examples(of: type).first)
        let bytes = try JSONValue(parsing: example).encoded()
        for count in 0..<bytes.count {
            #expect(throws: MessageError.self) { try rewritten(type, Array(bytes.prefix(count))) }
        }
    }

    @Test func `no schema or example is left without its type`() throws {
        let types = Set(MessageType.allCases.map(\.rawValue))
        let names = try FileManager.default.contentsOfDirectory(atPath: MessageFiles.directory)
            .filter { $0.hasSuffix(".schema.json") }.map { String($0.dropLast(".schema.json".count)) }
        #expect(Set(names) == types)
    }
}
