import Delivery
import Messages
import Testing

@testable import Daemon
@testable import Operations

struct DueFilterTests {
    /// As the command line hands them over.
    private func arguments(_ options: [(String, String)]) -> ParsedArguments {
        var arguments = ParsedArguments()
        for (name, value) in options { arguments.add(value, to: name) }
        return arguments
    }

    @Test func `everything that is given reaches the database`() throws {
        let id = "0f0e0d0c-0b0a-4908-8706-050403020100"
        let filter = try DueFilter(
            arguments([
                ("route", "fcm.cheqi"), ("app", "cheqi"), ("environment", "sandbox"), ("device", id),
                ("account", "a-1"),
                ("job", id), ("entry", id), ("reason", "deferred 503"), ("older-than", "10m"),
            ]))
        let json = try JSONValue(parsing: Array(filter.json.utf8))
        #expect(json["route"]?.string == "fcm.cheqi" && json["app"]?.string == "cheqi")
        #expect(json["environment"]?.string == "sandbox" && json["account"]?.string == "a-1")
        #expect(["device", "job", "entry"].allSatisfy { json[$0]?.string == id })
        #expect(json["reason"]?.string == "deferred 503" && json["older_than"]?.string == "600000000 microseconds")
        #expect(filter.words.hasPrefix("route fcm.cheqi, app cheqi, environment sandbox, "))
        #expect(try DueFilter(arguments([])).json == "{}")
    }

    @Test(arguments: [
        ("device", "x", "--device must be a UUID, not 'x'"), ("job", "", "--job must be a UUID"),
        ("older-than", "soon", "--older-than must be a time such as 15s"),
        ("environment", "test", "--environment must be production or sandbox, not 'test'"),
        ("reason", "", "--reason is empty"),
    ])
    func `a wrong argument is one clear line`(_ name: String, _ value: String, _ line: String) {
        let failure = #expect(throws: CommandFailure.self) { try DueFilter(arguments([(name, value)])) }
        #expect(failure?.status == .usage && failure?.line.contains(line) == true)
    }
}
