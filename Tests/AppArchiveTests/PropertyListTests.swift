import AppArchive
import TestSupport
import Testing

@Suite struct PropertyListTests {
    @Test(arguments: ["FMT_XML", "FMT_BINARY"])
    func `every kind of value comes out as Python put it in`(form: String) async throws {
        let program = """
            import plistlib, datetime, sys
            value = {"t": "grüß\\u20ac", "n": -7, "r": 1.5, "f": True, "b": b"\\x00\\xff", "l": ["a", "b"], "m": {"x": 1},
                     "d": datetime.datetime(2026, 3, 4, 5, 6, 7)}
            print(plistlib.dumps(value, fmt=plistlib.\(form)).hex())
            """
        let file = ScratchFile(program)
        let hex = try await ShellCommand.output(of: "/usr/bin/python3 \(file.path)").filter(\.isHexDigit)
        let digits = Array(hex.utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        let list = try PropertyList(parsing: bytes)
        #expect(
            list
                == .members([
                    "t": .text("grüß€"), "n": .number(-7), "r": .real(1.5), "f": .flag(true), "b": .bytes([0, 255]),
                    "l": .list([.text("a"), .text("b")]), "m": .members(["x": .number(1)]), "d": .date(1_772_600_767),
                ]))
    }

    @Test func `text that is no property list is refused`() {
        #expect(throws: ArchiveError.self) { try PropertyList(parsing: Array("hello".utf8)) }
        #expect(throws: ArchiveError.self) { try PropertyList(parsing: []) }
    }

    @Test func `deep nesting is refused`() {
        let open = String(repeating: "<array>", count: 100)
        let close = String(repeating: "</array>", count: 100)
        let error = #expect(throws: ArchiveError.self) {
            try PropertyList(parsing: Array("<plist version=\"1.0\">\(open)\(close)</plist>".utf8))
        }
        #expect(error?.description == "nested too deep")
    }
}
