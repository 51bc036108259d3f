import FoundationEssentials

/// The content of `MOBILE_DELIVERY_TOKEN_KEYS`:
/// `{"sealing":{"write":"ID","keys":{"ID":"base64 of 32 bytes"}},"fingerprint":{…the same…}}`.
public struct TokenKeys: Sendable {
    /// Keys by id, one of which writes.
    public struct Ring: Sendable {
        public struct Key: Sendable {
            public let id: String
            public let bytes: [UInt8]
        }

        public let writing: Key
        /// The writing one first, then by id.
        public let all: [Key]

        subscript(id: String) -> [UInt8]? { all.first { $0.id == id }?.bytes }
    }

    public let sealing: Ring
    public let fingerprinting: Ring

    public init(json: String) throws(TokenKeysError) {
        let file: File
        do { file = try JSONDecoder().decode(File.self, from: Data(json.utf8)) } catch { throw .notJSON }
        sealing = try Ring(file.sealing, name: "sealing")
        fingerprinting = try Ring(file.fingerprint, name: "fingerprint")
    }

    /// One new key of each kind, as the JSON that the initialiser reads.
    public static func random() -> String {
        func ring() -> String {
            #"{"write":"k1","keys":{"k1":"\#(Data(RandomBytes.make(32)).base64EncodedString())"}}"#
        }
        return #"{"sealing":\#(ring()),"fingerprint":\#(ring())}"#
    }

    fileprivate struct File: Decodable {
        struct Ring: Decodable {
            var write: String
            var keys: [String: String]
        }
        var sealing: Ring
        var fingerprint: Ring
    }
}

/// What is wrong with the token keys; never repeats a key.
public enum TokenKeysError: Error, Equatable, CustomStringConvertible {
    case notJSON
    case badKey(ring: String, id: String)
    case writingKeyMissing(ring: String)

    public var description: String {
        switch self {
        case .notJSON:
            #"not of the form {"sealing":{"write":"ID","keys":{"ID":"BASE64"}},"fingerprint":{"write":"ID","keys":{"ID":"BASE64"}}}"#
        case .badKey(let ring, let id): "\(ring) key \(id): not 32 bytes of base64 under an id of [A-Za-z0-9_.-]{1,64}"
        case .writingKeyMissing(let ring): "\(ring): \"write\" names a key that is not in \"keys\""
        }
    }
}

extension TokenKeys.Ring {
    fileprivate init(_ file: TokenKeys.File.Ring, name: String) throws(TokenKeysError) {
        var keys: [Key] = []
        for (id, text) in file.keys.sorted(by: { $0.key < $1.key }) {
            let isName = (1...64).contains(id.utf8.count) && id.allSatisfy { $0.isASCII && !$0.isWhitespace }
            guard isName, let bytes = Data(base64Encoded: text), bytes.count == 32 else {
                throw .badKey(ring: name, id: isName ? id : "?")
            }
            keys.append(Key(id: id, bytes: Array(bytes)))
        }
        guard let writing = keys.first(where: { $0.id == file.write }) else { throw .writingKeyMissing(ring: name) }
        self.writing = writing
        all = [writing] + keys.filter { $0.id != file.write }
    }
}
