import Delivery
import DeviceKit
import DeviceStore
import Messages
import Testing

@Suite(.timeLimit(.minutes(1))) struct InstallationTests {
    private let world = World()
    private let store = MemoryStore()

    @Test func `an enrolment whose answer was lost is asked again with the same keys`() async throws {
        await world.gateway.script("POST /v1/devices", .answerLost)
        await #expect(throws: DeviceError.self) { try await world.boot(store) }
        let phone = try await world.boot(store)
        #expect(await world.gateway.enrolled.keys.elementsEqual([phone.identity.device]))
    }

    @Test func `the identity outlives the process`() async throws {
        let first = try await world.boot(store)
        let second = try await world.boot(store)
        #expect(second.identity.device == first.identity.device && second.identity.account == "acme")
    }

    @Test func `registration numbers only grow, over restarts too`() async throws {
        let route = Route(provider: .apns, environment: "sandbox", app: "cheqi")
        let phone = try await world.boot(store)
        try await phone.register("a", kind: .token, route: route)
        #expect(await world.gateway.tokens[phone.identity.device]?.registration == 1)
        let again = try await world.boot(store)
        try await again.register("b", kind: .token, route: route)
        #expect(await world.gateway.tokens[phone.identity.device]?.registration == 2)
        #expect(await world.gateway.tokens[phone.identity.device]?.token == "b")
    }

    @Test func `Android shows a notification by the job's tag, iOS leaves that to the system`() async throws {
        for (platform, count) in [(Platform.android, 1), (.ios, 0)] {
            let notifier = CountingNotifier()
            let phone = try await world.boot(MemoryStore(), platform: platform, notifier: notifier)
            _ = try await phone.receive(World.payload(try await world.commit()))
            #expect(notifier.jobs.count == count)
        }
    }
}
