import Cryptography
import Delivery
import DeviceFleet
import DeviceKit
import FoundationEssentials
import HTTPClient
import LocalStack
import Messages
import Synchronization

/// An iPhone and an Android phone of one account on a private stack, their push services, and what can be known of them that
/// nobody can know of real ones.
final class VerifiedPhones: PhoneInHand {
    let stack: Stack
    let producer: ProducerAPI
    let phones: [VerifiedPhone]
    let jobs: SeededIdentifiers
    let defect: VerificationDefect?
    private let devices = Mutex<[String: Identifier]>([:])
    private let feed = Mutex<Task<Void, Never>?>(nil)
    private let unhinted = Mutex<Canary?>(nil)

    init(
        stack: Stack, producer: ProducerAPI, client: Client, folder: String, jobs: SeededIdentifiers,
        defect: VerificationDefect?
    ) throws {
        guard let transport = HTTPTransport(gateway: stack.gatewayURL, client: client) else {
            throw StepFailure("\(stack.gatewayURL) is no address of a gateway")
        }
        let author = try stack.authorKey()
        let setting = VerifiedPhone.Setting(
            transport: transport, authors: [author.id: author.key.publicKey], folder: folder, defect: defect)
        self.stack = stack
        self.producer = producer
        self.jobs = jobs
        self.defect = defect
        phones = [Platform.ios, .android].map { VerifiedPhone($0, setting: setting) }
    }

    /// Brings the simulator's deliveries to the phones until `stop`.
    func start() {
        let control = stack.control
        let phones = phones
        let task = Task {
            var last: Int64 = 0
            while !Task.isCancelled {
                guard let deliveries = try? await control.deliveries(after: last) else {
                    try? await Task.sleep(for: .milliseconds(50))
                    continue
                }
                for delivery in deliveries {
                    last = max(last, delivery.number)
                    for phone in phones where await phone.token == delivery.token {
                        await phone.happen(.delivered(delivery.push))
                    }
                }
            }
        }
        feed.withLock { $0 = task }
    }

    func stop() async {
        let task = feed.withLock { $0 }
        task?.cancel()
        await task?.value
        for phone in phones { await phone.happen(.forceQuit) }
    }

    /// The job that no phone was told of.
    var silent: Canary? { unhinted.withLock { $0 } }
    func remember(_ silent: Canary) { unhinted.withLock { $0 = silent } }

    func events(of job: Identifier) async -> [JobTimeline.Event] { phones.flatMap { $0.record.events(of: job) } }

    func perform(_ action: PhoneAction) async throws {
        for phone in phones { try await perform(action, on: phone) }
    }

    private func perform(_ action: PhoneAction, on phone: VerifiedPhone) async throws {
        switch action {
        case .logIn: try await logIn(phone)
        case .resetAccount:
            // The host backend takes the device out of the account, as at any logout.
            try await producer.revoke(try await phone.resetAccount())
            try await logIn(phone)
        case .background: await phone.happen(.left)
        case .open: await phone.happen(.opened)
        case .denyAlerts, .allowAlerts:
            var settings = PhoneSettings()
            settings.showsAlerts = action == .allowAlerts
            await phone.happen(.settings(settings))
        case .goOffline:
            try await stack.control.set(token: phone.token, isOnline: false)
            await phone.happen(.network(false))
        case .goOnline:
            await phone.happen(.network(true))
            try await stack.control.set(token: phone.token, isOnline: true)
        case .forceQuit: await phone.happen(.forceQuit)
        case .rotateToken:
            await phone.happen(.opened)
            _ = try await phone.running()
            let old = await phone.token
            let new = VerifiedPhone.newToken(phone.platform)
            try await introduce(new, phone)
            try await stack.control.unregister(token: old)
            await phone.change(token: new)
            try await registered(phone)
        case .removeApp:
            try await stack.control.unregister(token: phone.token)
            await phone.remove()
        case .installAgain:
            if let old = devices.withLock({ $0[phone.name] }) { try await producer.revoke(old) }
            try await logIn(phone)
        }
    }

    private func logIn(_ phone: VerifiedPhone) async throws {
        try await introduce(await phone.token, phone)
        try await phone.logIn(ticket: try await producer.ticket())
        let device = await phone.deviceID()
        devices.withLock { $0[phone.name] = device }
        try await registered(phone)
    }

    /// The app says at login that it is ready when its token is with the gateway.
    private func registered(_ phone: VerifiedPhone) async throws {
        let token = await phone.token
        for _ in 0..<500 {
            if await phone.hasUploaded(token) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw StepFailure("phone \(phone.name) does not register its token")
    }

    private func introduce(_ token: String, _ phone: VerifiedPhone) async throws {
        let isApple = phone.platform == .ios
        try await stack.control.register(
            token: token, provider: isApple ? "apns" : "fcm", app: isApple ? "com.example.cheqi" : "simulated-cheqi",
            environment: isApple ? "production" : "")
    }
}

extension ProviderControl.Delivery {
    var push: PushQueue.Delivery {
        isDeletedMessages ? .deletedMessages : .message(PushMessage(payload: payload, isHigh: isHigh))
    }
}
