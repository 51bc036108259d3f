import Daemon
import HTTPServer
import TestSupport
import Testing

@Suite struct EnvironmentReaderTests {
    @Test func `defaults hold when nothing is set`() throws {
        let reader = EnvironmentReader([:])
        #expect(reader.integer("MOBILE_DELIVERY_CAP", default: 7) == 7)
        #expect(reader.duration("MOBILE_DELIVERY_PAUSE", default: .seconds(3)) == .seconds(3))
        #expect(reader.listenAddress("MOBILE_DELIVERY_LISTEN", default: .loopback()).description == "127.0.0.1:0")
        try reader.finish()
    }

    @Test func `all errors come together`() {
        let reader = EnvironmentReader(["MOBILE_DELIVERY_CAP": "many", "MOBILE_DELIVERY_PAUSE": "5"])
        _ = reader.integer("MOBILE_DELIVERY_CAP", default: 7, in: 1...9)
        _ = reader.duration("MOBILE_DELIVERY_PAUSE", default: .seconds(3))
        _ = reader.secret("DATABASE_URL")
        let failure = #expect(throws: CommandFailure.self) { try reader.finish() }
        #expect(failure?.status == .configuration)
        let lines = failure?.line.split(separator: ";").map { $0.drop { $0 == " " } } ?? []
        #expect(lines.count == 3)
        #expect(lines.first == "MOBILE_DELIVERY_CAP must be a whole number from 1 to 9, not \"many\"")
        #expect(lines.last == "DATABASE_URL is not set (nor DATABASE_URL_FILE)")
    }

    @Test func `a slip in a name is an error that says what was meant`() {
        let reader = EnvironmentReader(["MOBILE_DELIVERY_CUP": "1"])
        _ = reader.integer("MOBILE_DELIVERY_CAP", default: 7)
        let failure = #expect(throws: CommandFailure.self) { try reader.finish() }
        #expect(failure?.line == "MOBILE_DELIVERY_CUP is not a setting: do you mean MOBILE_DELIVERY_CAP?")
    }

    @Test func `a setting of another service is only unknown`() throws {
        let reader = EnvironmentReader(["MOBILE_DELIVERY_SOMETHING_ELSE": "1"])
        try reader.finish()
        #expect(reader.unknownNames == ["MOBILE_DELIVERY_SOMETHING_ELSE"])
    }

    @Test func `a secret is read from the file that its variable names`() throws {
        let file = ScratchFile("hunter2\n")
        let reader = EnvironmentReader(["PASSWORD_FILE": file.path])
        let secret = reader.secret("PASSWORD")
        try reader.finish()
        #expect(secret.revealed == "hunter2")
        #expect("\(secret)" == "•••")
    }

    @Test func `a secret that is set twice is refused`() {
        let reader = EnvironmentReader(["PASSWORD": "a", "PASSWORD_FILE": "/nowhere"])
        _ = reader.optionalSecret("PASSWORD")
        #expect(throws: CommandFailure.self) { try reader.finish() }
    }

    @Test func `a bad secret is not printed`() {
        let reader = EnvironmentReader(["URL": "postgres://u:hunter2@h"])
        let value: Secret<Int>? = reader.secret("URL", expected: "a URL") { _ in nil }
        let failure = #expect(throws: CommandFailure.self) { try reader.finish() }
        #expect(value == nil)
        #expect(failure?.line == "URL must be a URL")
    }

    @Test func `every setting asked for is listed and secrets are hidden`() {
        let reader = EnvironmentReader(["A": "x", "B": "secret"])
        _ = reader.string("A")
        _ = reader.optionalSecret("B")
        _ = reader.bool("C", default: true)
        #expect(reader.settings.map(\.value) == ["x", "•••", "true"])
        #expect(reader.settings.map(\.isDefault) == [false, false, true])
    }
}
