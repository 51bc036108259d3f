import Delivery
import DeviceKit
import DeviceStore

/// What happens in a loss scenario, and what has to be so on the way.
struct LossStory: Sendable {
    let world: SimulatedWorld
    private let hour: Int64 = 3_600_000

    func tell(_ scenario: LossScenario) async {
        switch scenario {
        case .missed: await missed()
        case .delayed: await delayed()
        case .collapsed: await collapsed()
        case .throttled: await throttled()
        case .offline: await offline()
        case .forceQuit: await forceQuit()
        case .beforeFirstUnlock: await beforeFirstUnlock()
        case .permissionOff: await permissionOff()
        case .invalidToken: await invalidToken()
        case .backgroundRefreshOff: await backgroundRefreshOff()
        }
    }

    func expect(_ isSo: Bool, _ fact: String) { if !isSo { world.checker.report("not so: \(fact)") } }

    /// Local rows of all phones by what made them look.
    var repairs: [Origin: Int] {
        var repairs: [Origin: Int] = [:]
        for phone in world.phones {
            let image = phone.disk.durable
            for receipt in (try? image.receipts()) ?? [] {
                if let origin = (try? image.job(receipt.job))?.origin { repairs[origin, default: 0] += 1 }
            }
        }
        return repairs
    }

    private var receipts: Int { repairs.values.reduce(0, +) }

    private func all(_ event: PhoneEvent) async { for phone in world.phones { await phone.tell(event) } }

    private func set(_ change: (inout PhoneSettings) -> Void) async {
        var settings = PhoneSettings()
        change(&settings)
        await all(.settings(settings))
    }

    private func commit(_ count: Int) { for _ in 0..<count { world.commit(hasFanout: true) } }

    private func lookOnce() async {
        await all(.opened)
        await world.sleep(240_000)
        expect(world.isComplete, "the owner's look completes every job")
        await all(.left)
        await world.sleep(20_000)
    }

    private func missed() async {
        world.setWeather(.lost)
        // This one has its time before the others, and can be seen after them.
        world.commit(hasFanout: true, lateBy: 2 * hour)
        commit(2)
        await world.sleep(hour)
        expect(receipts == 0, "without a hint nothing is fetched")
        await lookOnce()
        await world.sleep(2 * hour)
        await lookOnce()
        expect(repairs == [.foreground: 6], "the foreground repairs all of it")
    }

    private func delayed() async {
        world.setWeather(.late(2 * hour))
        commit(2)
        await world.sleep(60_000)
        await lookOnce()
        let before = world.checker.requestCount
        await world.sleep(3 * hour)
        expect(repairs == [.foreground: 4], "the foreground was first")
        // Launched phones register their token, and nothing else.
        expect(world.checker.requestCount - before <= 4, "a late hint of a finished job asks the gateway nothing")
    }

    private func collapsed() async {
        await all(.network(false))
        commit(20)
        await world.sleep(hour)
        await all(.network(true))
        await world.sleep(hour)
        expect(repairs[.hint] ?? 0 <= 1, "one hint of twenty comes through")
        await lookOnce()
        expect(receipts == 20, "a sync brings the other nineteen")
    }

    private func throttled() async {
        await set { $0.showsAlerts = false }
        commit(AndroidSystem.patience)
        await world.sleep(hour)
        expect(world.isComplete, "while FCM has patience, hints work")
        await all(.dozing(true))
        commit(3)
        await world.sleep(hour)
        expect(!world.isComplete, "a dozing phone gets no message of normal priority")
        await all(.dozing(false))
        await world.sleep(hour)
        expect(world.isComplete, "the late hints do their work")
        expect(repairs[.foreground] == nil, "nobody had to look")
    }

    private func offline() async {
        await all(.network(false))
        commit(PushQueue.limit + 1)
        await world.sleep(30 * 24 * hour)
        expect(receipts == 0, "without a network nothing is fetched")
        await all(.network(true))
        await world.sleep(hour)
        expect(repairs[.deletedMessages] == PushQueue.limit + 1, "FCM's word of deleted messages leads to a full sync")
        expect(repairs[.hint] == nil, "what APNs kept has expired")
        await lookOnce()
    }

    private func forceQuit() async {
        await all(.forceQuit)
        commit(2)
        await world.sleep(hour)
        expect(receipts == 0, "an app that its owner ended is not started by a hint")
        await lookOnce()
        expect(repairs == [.foreground: 4], "the foreground repairs all of it")
    }

    private func beforeFirstUnlock() async {
        await all(.restarted)
        commit(2)
        await world.sleep(hour)
        expect(receipts == 0, "a locked phone fetches nothing")
        let charged = world.phones.flatMap { (try? $0.disk.durable.openJobs()) ?? [] }.filter { $0.failures > 0 }
        expect(charged.isEmpty, "no attempt is counted")
        await all(.unlocked)
        await world.sleep(hour)
        await lookOnce()
    }

    private func permissionOff() async {
        await set { $0.showsAlerts = false }
        commit(2)
        await world.sleep(hour)
        expect((repairs[.hint] ?? 0) > 0, "hints do their work without being shown")
        await lookOnce()
    }

    private func invalidToken() async {
        await all(.processEnded)
        for phone in world.phones { await phone.rotateToken() }
        commit(2)
        await world.sleep(hour)
        expect(receipts == 0, "hints to a dead token come to nobody")
        let tokens = world.network.withGateway { gateway in gateway.devices.values.compactMap(\.token).count }
        expect(tokens == 0, "a dead token is out of use")
        await lookOnce()
        commit(1)
        await world.sleep(hour)
        expect((repairs[.hint] ?? 0) > 0, "the token registered at launch brings the next hint")
    }

    private func backgroundRefreshOff() async {
        await set { $0.refreshesInBackground = false }
        commit(2)
        await world.sleep(hour)
        expect(receipts == 0, "iOS gives no window")
        await lookOnce()
        expect(repairs == [.foreground: 2], "the foreground repairs all of it")
        await set {
            $0.refreshesInBackground = false
            $0.showsAlerts = false
        }
        await all(.processEnded)
        commit(1)
        await world.sleep(hour)
        // The platform never answers the registration now; nothing waits for it.
        await lookOnce()
    }
}
