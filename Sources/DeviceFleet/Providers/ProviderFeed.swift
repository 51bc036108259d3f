import Daemon
import Delivery
import HTTPClient
import Messages

/// The push services' side of the phones: makes their tokens known to the simulator, and brings its deliveries to them.
struct ProviderFeed: Sendable {
    let control: String
    let client: Client
    let configuration: FleetConfiguration
    let journal: FleetJournal
    let phones: [Phone]
    private static let waitSeconds = 20

    /// Until the stop is requested; `started` is called once all tokens are known.
    func run(started: @Sendable () -> Void) async {
        var hasStarted = false
        while !Shutdown.current.isRequested, !Task.isCancelled {
            do {
                try await introduce()
                if !hasStarted { started() }
                hasStarted = true
                try await follow()
            } catch {
                guard !Shutdown.current.isRequested, !Task.isCancelled else { return }
                // A simulator that was started anew has forgotten tokens and numbers.
                journal.line {
                    $0.member("event", "troubled")
                    $0.member("at", SystemClock().wall())
                    $0.member("detail", "providers: \(error)")
                }
                guard await Shutdown.current.sleep(for: .milliseconds(500)) else { return }
            }
        }
    }

    private func introduce() async throws {
        for phone in phones {
            let route = configuration.route(of: phone.name.platform)
            let body = JSONWriter.object {
                $0.member("provider", route.provider.rawValue)
                $0.member("app", configuration.owner(of: phone.name.platform))
                if route.provider == .apns { $0.member("environment", route.environment) }
                $0.member("online", true)
            }
            _ = try await call("POST", "/devices/\(phone.token)", body: body)
        }
    }

    /// Repeats of deliveries are hints that come twice, which phones have to bear anyway.
    private func follow() async throws {
        let byToken = Dictionary(phones.map { ($0.token, $0) }) { first, _ in first }
        var last: Int64 = 0
        while !Shutdown.current.isRequested, !Task.isCancelled {
            let answer = try await call(
                "GET", "/deliveries?after=\(last)&waitSeconds=\(ProviderFeed.waitSeconds)")
            for line in answer.body.split(separator: UInt8(ascii: "\n")) {
                let delivery = try SimulatedDelivery(line: Array(line))
                last = max(last, delivery.number)
                byToken[delivery.token]?.inbox.put(delivery.stimulus)
            }
        }
    }

    private func call(_ method: String, _ path: String, body: [UInt8] = []) async throws -> Response {
        let answer = try await client.send(
            Request(
                method, control + path, headers: body.isEmpty ? [] : [Header("Content-Type", "application/json")],
                body: body, timeout: .seconds(Int64(ProviderFeed.waitSeconds) + 15)))
        guard (200..<300).contains(answer.status) else {
            throw CommandFailure(.protocolError, "\(method) \(path) was answered \(answer.status): \(answer.text)")
        }
        return answer
    }
}

/// One line of `GET /deliveries`.
struct SimulatedDelivery: Equatable {
    var number: Int64
    var token: String
    var isDeletedMessages: Bool
    var payload: [UInt8]

    init(line: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(line)
        number = try reader.integer("number")
        token = try reader.string("token")
        isDeletedMessages = try reader.optionalString("kind") == "deletedMessages"
        payload = reader.optional("payload")?.encoded() ?? []
    }

    var stimulus: Stimulus { isDeletedMessages ? .deletedMessages : .hint(payload) }
}
