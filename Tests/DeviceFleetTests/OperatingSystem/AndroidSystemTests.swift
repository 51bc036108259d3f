import Delivery
import DeviceFleet
import DeviceKit
import Testing

@Suite struct AndroidSystemTests {
    private let job = UniqueWork(.job(.random()), isExpedited: true)
    private let push = PhoneEvent.delivered(.message(PushMessage(payload: [1])))

    private func system(_ events: PhoneEvent..., replaces: Bool = false) -> AndroidSystem {
        var system = AndroidSystem(scheduler: WorkScheduler(replaces: replaces))
        for event in events { _ = system.apply(event, now: 0, luck: 0) }
        return system
    }

    private func received(_ effects: [PhoneEffect]) -> AndroidApplication.Priority? {
        for effect in effects {
            if case .android(.messageReceived(_, let priority)) = effect { return priority }
        }
        return nil
    }

    private var muted: PhoneEvent {
        var settings = PhoneSettings()
        settings.showsAlerts = false
        return .settings(settings)
    }

    @Test func `a message starts a process and comes with the priority it was sent with`() {
        var system = system()
        let effects = system.apply(push, now: 0, luck: 0)
        #expect(effects.prefix(2) == [.launch, .android(.processStarted)])
        #expect(received(effects) == .high)
    }

    @Test func `R-49: messages that show nothing again and again are delivered with normal priority`() {
        var system = system(muted)
        let priorities = (0..<7).map { _ in received(system.apply(push, now: 0, luck: 0)) }
        #expect(priorities == [.high, .high, .high, .high, .high, .normal, .normal])
    }

    @Test func `a dozing phone is woken by high priority alone; the rest waits until it wakes`() {
        var awake = system(.dozing(true))
        #expect(received(awake.apply(push, now: 0, luck: 0)) == .high)
        var tired = system(muted, push, push, push, push, push, .dozing(true))
        #expect(received(tired.apply(push, now: 0, luck: 0)) == nil)
        #expect(received(tired.apply(.dozing(false), now: 0, luck: 0)) == .normal)
    }

    @Test func `a force-stopped app gets nothing, and nobody is told`() {
        var system = system(.opened, .forceQuit)
        #expect(system.apply(push, now: 0, luck: 0) == [])
        #expect(!system.apply(.opened, now: 0, luck: 0).contains { received([$0]) != nil })
    }

    @Test func `before the first unlock messages wait, and the unlock boots the app`() {
        var system = system(.restarted)
        #expect(system.apply(push, now: 0, luck: 0) == [])
        let effects = system.apply(.unlocked, now: 0, luck: 0)
        #expect(effects.contains(.android(.bootCompleted)) && received(effects) == .high)
    }

    @Test func `R-45: work waits for the network, is stopped when it goes, and runs again when it is back`() {
        var system = system(.network(false))
        let started = PhoneEffect.android(.workStarted(job.name))
        #expect(!system.apply(.enqueued(job), now: 0, luck: 0).contains(started))
        #expect(system.apply(.network(true), now: 0, luck: 0).contains(started))
        #expect(system.apply(.network(false), now: 0, luck: 0).contains(.android(.workStopped(job.name))))
        #expect(system.apply(.network(true), now: 0, luck: 0).contains(started))
    }

    @Test func `R-44: a second request of a name adds nothing, unless the scheduler is planted to replace`() {
        let stopped = PhoneEffect.android(.workStopped(job.name))
        var keeping = system(.enqueued(job))
        #expect(!keeping.apply(.enqueued(job), now: 0, luck: 0).contains(stopped))
        var replacing = system(.enqueued(job), replaces: true)
        #expect(replacing.apply(.enqueued(job), now: 0, luck: 0).contains(stopped))
    }

    @Test func `a sync that is asked for during another runs after it`() {
        let sync = UniqueWork(.sync(.deletedMessages), isExpedited: false)
        var system = system(.enqueued(sync), .enqueued(sync))
        let again = system.apply(.finished(sync.name, .success), now: 0, luck: 0)
        #expect(again.contains(.android(.workStarted(sync.name))))
        #expect(
            !system.apply(.finished(sync.name, .success), now: 0, luck: 0).contains(.android(.workStarted(sync.name))))
    }

    @Test func `work outlives the process, and a retry waits longer each time`() {
        var system = system(.enqueued(job))
        #expect(system.apply(.processEnded, now: 0, luck: 0).contains(.android(.workStarted(job.name))))
        let first = system.apply(.finished(job.name, .retry), now: 0, luck: 0)
        #expect(first.contains(.startTimer(0, after: 30_000)))
        #expect(system.apply(.timer(0), now: 30_000, luck: 0).contains(.android(.workStarted(job.name))))
        let second = system.apply(.finished(job.name, .retry), now: 30_000, luck: 0)
        #expect(second.contains(.startTimer(0, after: 60_000)))
    }

    @Test func `in doze thirty expedited runs a day are had without a message of high priority, and no more`() {
        var system = system(.dozing(true))
        var runs = 0
        for _ in 0..<40 {
            let work = UniqueWork(.job(.random()), isExpedited: true)
            if system.apply(.enqueued(work), now: 50_000, luck: 0).contains(.android(.workStarted(work.name))) {
                runs += 1
            }
        }
        #expect(runs == WorkScheduler.dailyQuota)
    }

    @Test func `with battery use restricted the scheduler runs nothing until the app is opened`() {
        var settings = PhoneSettings()
        settings.restrictsBattery = true
        var system = system(.settings(settings), .enqueued(job))
        #expect(system.apply(.timer(0), now: 0, luck: 0) == [])
        #expect(system.apply(.opened, now: 0, luck: 0).contains(.android(.workStarted(job.name))))
    }
}
