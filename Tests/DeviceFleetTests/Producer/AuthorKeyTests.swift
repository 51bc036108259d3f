import Cryptography
import Daemon
import Delivery
import DeviceFleet
import FoundationEssentials
import Testing

@Suite struct AuthorKeyTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "author-\(Identifier.random())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path(percentEncoded: false))
    }

    @Test func `the first use makes the key, later ones read it, and only its owner may`() throws {
        try withFolder { folder in
            let path = "\(folder)/key.json"
            let made = try AuthorKey.loadOrMake(path)
            #expect(try AuthorKey.loadOrMake(path).key.publicKey == made.key.publicKey)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key.json"])
        }
    }

    @Test(arguments: ["", "{}", #"{"keyId":"p1","seed":"AQ=="}"#])
    func `a file that is none is named and left alone`(content: String) throws {
        try withFolder { folder in
            let path = "\(folder)/key.json"
            try Data(content.utf8).write(to: URL(filePath: path))
            #expect { try AuthorKey.loadOrMake(path) } throws: { error in
                (error as? CommandFailure)?.status == .dataError && "\(error)".contains(path)
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == Data(content.utf8))
        }
    }

    @Test func `a folder that is not there is named`() {
        #expect { try AuthorKey.loadOrMake("/nonexistent/key.json") } throws: { error in
            (error as? CommandFailure)?.status == .cannotCreate
        }
    }
}
