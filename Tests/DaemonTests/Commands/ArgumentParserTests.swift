import Testing

@testable import Daemon

@Suite struct ArgumentParserTests {
    private let parser = ArgumentParser(commands: [
        Command("relay", summary: "relays") { _ in },
        Command(
            "topology apply", summary: "applies",
            options: [.value("file", "FILE", "what", isRequired: true), .flag("dry-run", "only say")],
            arguments: ["name"]
        ) { _ in },
    ])

    private func arguments(_ options: KeyValuePairs<String, String>, _ positional: [String] = []) -> ParsedArguments {
        var parsed = ParsedArguments()
        for (name, value) in options { parsed.add(value, to: name) }
        parsed.positional = positional
        return parsed
    }

    @Test(arguments: [[], ["help"], ["--help"], ["-h"]])
    func `no command or a plea for help shows the overview`(_ words: [String]) throws {
        #expect(try parser.parse(words) == .help(nil))
    }

    @Test(arguments: [["relay", "--help"], ["help", "relay"], ["relay", "-h"]])
    func `help of a command can be asked for before and behind it`(_ words: [String]) throws {
        #expect(try parser.parse(words) == .help("relay"))
    }

    @Test(arguments: [["--file", "a"], ["--file=a"], ["--file", "b", "--file", "a"]])
    func `an option takes its value from the next word or behind an equals sign, the last one wins`(
        _ words: [String]
    ) throws {
        guard case .run("topology apply", let parsed) = try parser.parse(["topology", "apply", "x"] + words) else {
            Issue.record("not run")
            return
        }
        #expect(parsed.value(of: "file") == "a")
        #expect(parsed.positional == ["x"])
    }

    @Test func `flags are told apart from options with a value`() throws {
        let words = ["topology", "apply", "--dry-run", "x", "--file", "a"]
        let expected = Invocation.run("topology apply", arguments(["dry-run": "", "file": "a"], ["x"]))
        #expect(try parser.parse(words) == expected)
    }

    @Test(arguments: [
        (["rely"], ArgumentError.unknownCommand("rely")),
        (["topology"], .unknownCommand("topology")),
        (["topology", "aply"], .unknownCommand("topology aply")),
        (["relay", "--fast"], .unknownOption("--fast", command: "relay")),
        (["relay", "--fast", "--help"], .unknownOption("--fast", command: "relay")),
        (["relay", "-x"], .unknownOption("-x", command: "relay")),
        (["relay", "now"], .surplusArgument("now", command: "relay")),
        (["topology", "apply", "--dry-run=1"], .unexpectedValue("dry-run", command: "topology apply")),
        (["topology", "apply", "--file", "a"], .missingArgument("name", command: "topology apply")),
        (
            ["topology", "apply", "x"],
            .missingOption(.value("file", "FILE", "what", isRequired: true), command: "topology apply")
        ),
        (
            ["topology", "apply", "x", "--file"],
            .missingValue(.value("file", "FILE", "what", isRequired: true), command: "topology apply")
        ),
    ])
    func `what cannot be understood is a typed error with one line`(_ words: [String], _ expected: ArgumentError) {
        #expect(throws: expected) { try parser.parse(words) }
        #expect(!expected.line(program: "p").contains { $0.isNewline })
    }

    @Test(arguments: ["x", "-1", "11", "1.5"])
    func `a number outside its range is a usage error`(_ text: String) {
        let parsed = arguments(["n": text])
        #expect(throws: CommandFailure.self) { try parsed.integer("n", default: 1, in: 0...10) }
    }
}
