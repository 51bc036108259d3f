import AMQP
import Cryptography
import Delivery
import FoundationEssentials
import LocalStack
import Messages

/// Hints with sealed tokens, as the relay publishes them, put into the route's queue before a sender is there to take them.
struct SenderLoad {
    private static let burst = 500

    private let vault: TokenVault
    private let tokens: [String]
    private let amqpURL: String
    private let route: Route

    /// `paths` are those that the load generator asks too: the provider sees the same phones.
    init(_ stack: StackSite, route: Route, paths: [String]) throws {
        let file = StackSetup(stack).tokenKeysFile
        guard let keys = FileManager.default.contents(atPath: file) else { throw Unusable("no token keys in \(file)") }
        vault = TokenVault(keys: try TokenKeys(json: String(decoding: keys, as: UTF8.self)))
        tokens = paths.map { String($0.dropFirst("/3/device/".count)) }
        amqpURL = stack.amqpURL
        self.route = route
    }

    /// Returns once the broker has them all.
    func publish(_ count: Int) async throws {
        let publisher = Publisher(try ConnectionSettings(url: amqpURL), name: "bench/hints")
        let running = Task { await publisher.run() }
        defer { running.cancel() }
        var number = 0
        while number < count {
            try Task.checkCancellation()
            let messages = (number..<min(number + Self.burst, count)).map { message($0) }
            for await group in await publisher.publish(messages, deadline: .now + .seconds(60)) {
                guard group.allSatisfy({ $0.result == .confirmed }) else { throw Unusable("a hint was not confirmed") }
            }
            number += messages.count
        }
    }

    /// The body of one, for other publishers.
    var sample: [UInt8] { message(0).body }

    private func message(_ number: Int) -> Message {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let token = tokens[number % tokens.count]
        let device = Identifier.random()
        let sealed = vault.seal(
            token,
            for: TokenSubject(
                device: device.bytes, provider: route.provider.rawValue, app: route.app, environment: route.environment)
        )
        let hint = Hint(
            entry: .random(), seq: 1, life: 1, publishedAt: now, deadline: now + 3_600_000, job: .random(),
            documentType: .receipt, route: route, device: device,
            token: Hint.SealedToken(kind: .token, sealed: sealed.bytes, key: sealed.keyID),
            fingerprint: Fingerprint(bytes: vault.fingerprint(of: token).bytes)!, registeredAt: now - 1000,
            expiresAt: now + 86_400_000)
        return Message(
            exchange: "hints", routingKey: route.queue, messageID: hint.entry.description,
            type: MessageType.hint.rawValue,
            headers: [Header.seq.rawValue: .integer(1), Header.life.rawValue: .integer(1)], body: hint.encoded())
    }
}
