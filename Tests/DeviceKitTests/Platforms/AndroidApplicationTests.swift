import Delivery
import DeviceKit
import Testing

@Suite struct AndroidApplicationTests {
    private let job = Identifier("6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11")!
    private var hint: [UInt8] { World.payload(job) }

    private func running(_ events: AndroidApplication.Event...) -> AndroidApplication {
        var app = AndroidApplication()
        for event in [.processStarted, .storeOpened(isEnrolled: true)] + events { _ = app.apply(event) }
        return app
    }

    @Test func `R-44: a hint is shown and enqueued as unique work of its job; nothing is fetched in the service`() {
        var app = running()
        #expect(
            app.apply(.messageReceived(hint, priority: .high)) == [
                .notify(job, .receipt), .enqueue(UniqueWork(.job(job), isExpedited: true)),
            ])
        let work = UniqueWork(.job(job), isExpedited: true)
        #expect(work.name == "gen-6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11" && work.policy == .keep && work.needsNetwork)
    }

    @Test(arguments: [(false, false), (false, true), (true, true)])
    func `R-43: without the permission or with a blocked channel nothing is shown and all is done`(
        areAllowed: Bool, isChannelBlocked: Bool
    ) {
        var app = running(.alerts(areAllowed: areAllowed, isChannelBlocked: isChannelBlocked))
        #expect(
            app.apply(.messageReceived(hint, priority: .high)) == [
                .enqueue(UniqueWork(.job(job), isExpedited: true))
            ])
    }

    @Test func `work is expedited by the priority that was delivered, and never where the system cannot`() {
        var app = running(.alerts(areAllowed: false, isChannelBlocked: false))
        let ordinary: [AndroidApplication.Effect] = [.enqueue(UniqueWork(.job(job), isExpedited: false))]
        #expect(app.apply(.messageReceived(hint, priority: .normal)) == ordinary)
        var old = AndroidApplication(expedites: false)
        _ = old.apply(.alerts(areAllowed: false, isChannelBlocked: false))
        #expect(old.apply(.messageReceived(hint, priority: .high)) == ordinary)
    }

    @Test func `R-42: an invalid message does nothing, one of a newer version asks for one sync`() {
        var app = running()
        #expect(app.apply(.messageReceived([1, 2, 3], priority: .high)) == [])
        let newer = Array(#"{"eventType":"NEW","eventVersion":"2"}"#.utf8)
        let sync = UniqueWork(.sync(.opportunistic), isExpedited: false)
        #expect(app.apply(.messageReceived(newer, priority: .high)) == [.enqueue(sync)])
        #expect(sync.policy == .keep)
    }

    @Test func `R-51: deleted messages ask for a full sync after whatever sync is under way`() {
        var app = running()
        let sync = UniqueWork(.sync(.deletedMessages), isExpedited: false)
        #expect(app.apply(.messagesDeleted) == [.enqueue(sync)])
        #expect(sync.policy == .appendOrReplace)
    }

    @Test func `the worker runs its job once, and its result goes back to the scheduler`() {
        var app = running()
        let name = UniqueWork(.job(job), isExpedited: true).name
        #expect(app.apply(.workStarted(name)) == [.run(name: name, .job(job))])
        #expect(app.apply(.workStarted(name)) == [])
        #expect(app.apply(.workEnded(name, .retry)) == [.finish(name: name, .retry)])
        #expect(app.apply(.workEnded(name, .retry)) == [])
    }

    @Test func `a worker that is stopped is cancelled and reports nothing`() {
        let name = UniqueWork(.job(job), isExpedited: true).name
        var app = running(.workStarted(name))
        #expect(app.apply(.workStopped(name)) == [.cancel(name: name)])
        #expect(app.apply(.workEnded(name, .success)) == [])
    }

    @Test func `a worker that starts a process waits for its store`() {
        var app = AndroidApplication()
        let name = UniqueWork(.sync(.deletedMessages), isExpedited: false).name
        _ = app.apply(.processStarted)
        #expect(app.apply(.workStarted(name)) == [])
        #expect(app.apply(.storeOpened(isEnrolled: true)) == [.run(name: name, .sync(.deletedMessages))])
    }

    @Test func `work of a name that is not ours fails instead of running for ever`() {
        var app = running()
        #expect(app.apply(.workStarted("other")) == [.finish(name: "other", .failure)])
    }

    @Test func `a restart of the phone brings a sync, because messages may have been lost`() {
        var app = running()
        #expect(app.apply(.bootCompleted) == [.enqueue(UniqueWork(.sync(.opportunistic), isExpedited: false))])
    }

    @Test func `R-50: a new token is uploaded, every launch asks for it, and every activation syncs once`() {
        var app = AndroidApplication()
        #expect(app.apply(.processStarted) == [.openStore, .requestToken(request: 1, timeout: 10_000)])
        _ = app.apply(.storeOpened(isEnrolled: true))
        #expect(app.apply(.token("a")) == [.upload("a")])
        _ = app.apply(.uploaded("a"))
        #expect(app.apply(.becameActive) == [.foregroundSync])
        #expect(app.apply(.becameActive) == [])
    }

    @Test func `names of work say what it is`() {
        for kind in [UniqueWork.Kind.job(job), .sync(.deletedMessages), .sync(.foreground)] {
            #expect(UniqueWork.kind(named: UniqueWork(kind, isExpedited: false).name) == kind)
        }
        #expect(UniqueWork.kind(named: "gen-x") == nil && UniqueWork.kind(named: "sync-") == nil)
    }
}
