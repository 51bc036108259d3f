import Testing

@testable import Daemon

@Suite struct CommandTableTests {
    private struct Odd: Error {}

    private let table = CommandTable(
        program: "p", summary: "s",
        commands: [
            Command("good", summary: "works", options: [.value("state", "FILE", "where")]) { _ in },
            Command("refused", summary: "fails") { _ in throw CommandFailure(.noPermission, "refused") },
            Command("odd", summary: "fails oddly") { _ in throw Odd() },
        ])

    @Test(arguments: [
        (["good"], Daemon.ExitStatus.success), (["good", "--help"], .success), ([], .success),
        (["refused"], .noPermission), (["odd"], .software), (["bad"], .usage), (["good", "--bad"], .usage),
    ])
    func `each end has its exit status`(_ words: [String], _ status: Daemon.ExitStatus) async {
        #expect(await table.run(words) == status)
    }

    @Test func `the overview names every command`() {
        for command in table.commands { #expect(table.help(for: nil).contains("  \(command.name)")) }
    }

    @Test func `the page of a command names its options`() {
        #expect(table.help(for: "good").contains("--state FILE  where"))
    }

    @Test func `a failure is always one line`() {
        #expect(CommandFailure(.failure, "one\ntwo").line == "one two")
    }
}
