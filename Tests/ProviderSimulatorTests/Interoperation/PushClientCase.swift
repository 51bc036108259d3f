import Testing

@testable import ProviderSimulator

/// One message that a client library sends, and what its caller has to see.
struct PushClientCase: Sendable, CustomTestStringConvertible {
    var name: String
    /// What `push_clients.py` is told beside the name.
    var description: [JSONValue.Member]
    /// The phone that it is for, known beforehand.
    var device: Device?
    /// `do` of a rule for the phone's token.
    var script: JSONValue?
    /// Members of what the program prints.
    var expected: [JSONValue.Member]

    var testDescription: String { name }

    var json: JSONValue { .object([.init("name", .string(name))] + description) }

    var rule: JSONValue? {
        guard let script, let device else { return nil }
        return ["match": ["token": .string(device.token)], "do": script]
    }

    /// A valid token that no other case uses.
    static func apnsToken(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: String(repeating: "0", count: 8 - digits.count) + digits, count: 8)
    }

    static func fcmToken(_ number: Int) -> String { "registrationToken-\(number):APA91bExample" }
}

extension JSONValue {
    /// A JSON text written in a test.
    static func of(_ text: String) -> JSONValue { JSONValue(parsing: text) ?? .string("not JSON: \(text)") }
}
