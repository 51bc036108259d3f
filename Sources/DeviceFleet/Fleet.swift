import CLinux
public import Daemon
import Delivery
import Dispatch
import Glibc
import HTTPClient

/// Simulated phones of one account or several, each running the kit that apps embed. SIGUSR1 brings all of them to the foreground.
public struct Fleet: Service {
    public let name = "phones"
    private let configuration: FleetConfiguration
    private let journal: FleetJournal

    public init(_ configuration: FleetConfiguration, journal: FleetJournal = .standardOutput()) {
        self.configuration = configuration
        self.journal = journal
    }

    public func run() async throws {
        let client = Client(HTTPClient.Configuration(caFile: configuration.caFile))
        guard let transport = HTTPTransport(gateway: configuration.gateway, client: client) else {
            throw CommandFailure(.usage, "--gateway must be http://host:port or https://host:port")
        }
        let phones = try await boot(transport)
        let signal = ForegroundSignal(phones)
        defer { signal.cancel() }
        try await prepare(phones, client)
        try await live(phones, client)
        await client.close()
    }

    private func boot(_ transport: HTTPTransport) async throws -> [Phone] {
        if let directory = configuration.directory, mkdir(directory, 0o700) != 0, clinux_errno() != EEXIST {
            throw CommandFailure(
                .cannotCreate, "cannot make \(directory): \(String(cString: strerror(clinux_errno())))")
        }
        var phones: [Phone] = []
        for (platform, count) in [(Platform.ios, configuration.ios), (.android, configuration.android)] {
            for number in 0..<count {
                let name = PhoneName(
                    account: configuration.account(of: number), platform: platform, number: number)
                do {
                    phones.append(
                        try await Phone(name, configuration: configuration, transport: transport, journal: journal))
                } catch {
                    throw CommandFailure(
                        .ioError, "the store of phone \(platform.rawValue)-\(number) cannot be used: \(error)")
                }
            }
        }
        return phones
    }

    /// A few at once: a thousand phones must not fall over the gateway's rate limit for tickets.
    private func prepare(_ phones: [Phone], _ client: Client) async throws {
        var given = Array(zip(phones.indices, tickets))[...].map(\.1)
        given.reverse()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, phone) in phones.enumerated() {
                if index >= 8 { try await group.next() }
                let ticket = phone.isEnrolled ? nil : given.popLast()
                group.addTask { [configuration] in
                    _ = try await phone.prepare {
                        if let ticket { return ticket }
                        guard case .producer(let token) = configuration.tickets else {
                            throw CommandFailure(.usage, "there are fewer tickets than phones: give one a line")
                        }
                        return try await ProducerClient(gateway: configuration.gateway, token: token, client: client)
                            .ticket(account: phone.name.account)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private var tickets: [String] { if case .given(let tickets) = configuration.tickets { tickets } else { [] } }

    private func live(_ phones: [Phone], _ client: Client) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            if let control = configuration.providers, !configuration.isOnce {
                let feed = ProviderFeed(
                    control: control, client: client, configuration: configuration, journal: journal, phones: phones)
                group.addTask {
                    await feed.run { continuation.finish() }
                    continuation.finish()
                }
            } else {
                continuation.finish()
            }
            // Phones say "ready" only once a hint would reach them.
            for await _ in stream {}
            for phone in phones { group.addTask { try await phone.run() } }
            if configuration.isOnce {
                try await group.waitForAll()
                return
            }
            group.addTask { await Shutdown.current.wait() }
            // Whatever a phone is at when it stops goes on from its store at the next start.
            while !Shutdown.current.isRequested, try await group.next() != nil {}
            group.cancelAll()
        }
    }
}

/// SIGUSR1 as "every owner opens the app now".
private final class ForegroundSignal: Sendable {
    private struct Source: @unchecked Sendable { let source: any DispatchSourceSignal }
    private let held: Source

    init(_ phones: [Phone]) {
        Glibc.signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
        let inboxes = phones.map(\.inbox)
        source.setEventHandler { @Sendable in for inbox in inboxes { inbox.put(.foreground) } }
        source.activate()
        held = Source(source: source)
    }

    func cancel() { held.source.cancel() }
}
