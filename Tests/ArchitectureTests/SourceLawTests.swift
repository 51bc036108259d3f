import TestSupport
import Testing

@Suite struct SourceLawTests {
    private let sources: [SourceFile]
    private let tests: [SourceFile]

    init() throws {
        sources = try SourceFile.all(under: "Sources")
        tests = try SourceFile.all(under: "Tests")
    }

    @Test func `nobody imports the whole of Foundation`() {
        // The stubs stand for Apple's modules, which bring it along.
        for file in sources + tests where file.target != "AppleStubs" {
            for module in ["Foundation", "FoundationNetworking", "XCTest"] {
                #expect(!file.imports.contains(module), "\(file) imports \(module)")
            }
        }
    }

    @Test(arguments: ["CommandLine.", "processInfo.environment", "getenv(", "environ["])
    func `only executables read arguments and environment`(_ word: String) {
        for file in sources where !file.target.hasPrefix("mobile-delivery") {
            #expect(!file.code.contains { $0.contains(word) }, "\(file) uses \(word)")
        }
    }

    @Test func `no file is too long to be read at once`() {
        for file in sources + tests { #expect(file.lines.count <= 351, "\(file) has \(file.lines.count - 1) lines") }
    }

    /// Words that could stand for anything.
    @Test(arguments: ["Core", "Common", "Utils", "Manager", "Helper"])
    func `names say what a thing is`(_ word: String) {
        for file in sources + tests {
            #expect(!file.stem.contains(word), "\(file)")
            let declaration = /\b(?:class|struct|enum|actor|protocol)\s+(\w+)/
            for line in file.code {
                for match in line.matches(of: declaration) {
                    #expect(!match.1.contains(word), "\(file): \(match.1)")
                }
            }
        }
    }

    @Test func `half of a target's files are short`() {
        for (target, files) in Dictionary(grouping: sources, by: \.target) {
            let lengths = files.map(\.lines.count).sorted()
            #expect(lengths[lengths.count / 2] <= 101, "\(target)")
        }
    }

    @Test func `tests wait on facts, not on time`() {
        for file in tests where !["TestSupport", "ArchitectureTests"].contains(file.target) {
            #expect(!file.code.contains { $0.contains("Task.sleep") }, "\(file) sleeps")
        }
    }
}
