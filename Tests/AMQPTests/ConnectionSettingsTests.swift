import AMQP
import Testing

@Suite struct ConnectionSettingsTests {
    @Test func `user, password and virtual host are percent-decoded`() throws {
        let settings = try ConnectionSettings(url: "amqp://a%40b:p%2Fw%3A@broker:1234/mobile%2Fdelivery")
        #expect(settings.user == "a@b")
        #expect(settings.password == "p/w:")
        #expect(settings.virtualHost == "mobile/delivery")
        #expect(settings.addresses == [.init(host: "broker", port: 1234)])
        #expect(!settings.usesTLS)
    }

    @Test(arguments: ["amqp://h", "amqp://h/", "amqp://h/%2F"])
    func `no virtual host is the default one`(_ url: String) throws {
        #expect(try ConnectionSettings(url: url).virtualHost == "/")
    }

    @Test func `several addresses keep their order and default ports`() throws {
        let settings = try ConnectionSettings(url: "amqps://u:p@one,two:99,[::1]:7,[fe80::2]/v?ca=/tmp/ca%20file.pem")
        #expect(
            settings.addresses == [
                .init(host: "one", port: 5671), .init(host: "two", port: 99), .init(host: "::1", port: 7),
                .init(host: "fe80::2", port: 5671),
            ])
        #expect(settings.usesTLS)
        #expect(settings.authorityFile == "/tmp/ca file.pem")
    }

    @Test(arguments: [
        ("http://h/", "must start with amqp://"),
        ("amqp://", "a host is empty"),
        ("amqp://a,,b/", "a host is empty"),
        ("amqp://u:p@/v", "a host is empty"),
        ("amqp://:p@h/v", "the user is empty"),
        ("amqp://h:0/", "is no port"),
        ("amqp://h:port/", "is no port"),
        ("amqp://h:65536/", "is no port"),
        ("amqp://[::1/", "without \"]\""),
        ("amqp://u:secret%zz@h/", "the password has a %"),
        ("amqp://u:p@h/a%2", "the virtual host has a %"),
        ("amqp://u:p@h/%ff", "not UTF-8"),
        ("amqp://h/a/b", "%2F"),
        ("amqp://h/?ca=x", "needs amqps"),
        ("amqps://h/?ca=", "names no file"),
        ("amqps://h/?verify=no", "unknown parameter"),
    ])
    func `a malformed address says what is wrong and keeps the password`(_ url: String, _ expected: String) {
        let error = #expect(throws: AMQPError.self) { try ConnectionSettings(url: url) }
        #expect(error?.kind == .malformedURL)
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `the description hides the password`() throws {
        let settings = try ConnectionSettings(url: "amqp://user:secret@h:1/v")
        #expect(settings.description == "amqp://user@h:1/v")
    }
}
