import Delivery
import DeviceKit
import Testing

@Suite struct IOSApplicationTests {
    private let hint = World.payload(Identifier("6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11")!)

    private func running(_ events: IOSApplication.Event...) -> IOSApplication {
        var app = IOSApplication()
        for event in [.launched(isProtectedDataAvailable: true), .storeOpened(isEnrolled: true)] + events {
            _ = app.apply(event)
        }
        return app
    }

    @Test func `R-32: a launch registers for push and opens the store, in whatever state the permission is`() {
        var app = IOSApplication()
        #expect(
            app.apply(.launched(isProtectedDataAvailable: true)) == [
                .registerForRemoteNotifications(request: 1, timeout: 10_000), .openStore,
            ])
    }

    @Test func `a push in the background gets a window and its completion`() {
        var app = running()
        #expect(
            app.apply(.remoteNotification(hint, completion: 7, now: 1_000)) == [
                .receive(push: 1, hint, until: 26_000)
            ])
        #expect(app.apply(.received(push: 1, .newData)) == [.complete(7, .newData)])
    }

    @Test func `R-36: a window that ends completes the push once, and the late end of the work completes nothing`() {
        var app = running(.remoteNotification(hint, completion: 7, now: 0))
        #expect(app.apply(.windowEnded(push: 1)) == [.complete(7, .failed)])
        #expect(app.apply(.received(push: 1, .newData)) == [])
        #expect(app.apply(.windowEnded(push: 1)) == [])
    }

    @Test(arguments: [true, false])
    func `both callbacks for one push in the foreground, in any order, work on it once`(presentedFirst: Bool) {
        var app = running(.becameActive)
        let callbacks: [IOSApplication.Event] = [.willPresent(hint), .remoteNotification(hint, completion: 3, now: 0)]
        let effects = (presentedFirst ? callbacks : callbacks.reversed()).flatMap { app.apply($0) }
        #expect(effects.count { if case .receive = $0 { true } else { false } } == 1)
        #expect(effects.contains(.present))
        #expect(app.apply(.received(push: 1, .newData)) == [.complete(3, .newData)])
    }

    @Test func `two pushes for two jobs are two works`() {
        var app = running(.remoteNotification(hint, completion: 1, now: 0))
        let other = World.payload(.random())
        #expect(
            app.apply(.remoteNotification(other, completion: 2, now: 5)) == [.receive(push: 2, other, until: 25_005)])
    }

    @Test func `before the first unlock a hint costs no attempt, and the unlock brings a sync`() {
        var app = IOSApplication()
        _ = app.apply(.launched(isProtectedDataAvailable: false))
        #expect(app.apply(.remoteNotification(hint, completion: 1, now: 0)) == [.complete(1, .noData)])
        #expect(app.apply(.token("a")) == [])
        #expect(app.apply(.protectedDataBecameAvailable) == [.openStore])
        #expect(app.apply(.storeOpened(isEnrolled: true)) == [.upload("a"), .sync(.opportunistic)])
    }

    @Test func `a push that comes while the store is being opened waits for it`() {
        var app = IOSApplication()
        _ = app.apply(.launched(isProtectedDataAvailable: true))
        #expect(app.apply(.remoteNotification(hint, completion: 1, now: 0)) == [])
        #expect(app.apply(.storeOpened(isEnrolled: true)) == [.receive(push: 1, hint, until: 25_000)])
    }

    @Test func `R-37, R-57: every time the app becomes active there is one sync`() {
        var app = running()
        #expect(app.apply(.becameActive) == [.foregroundSync])
        #expect(app.apply(.becameActive) == [])
        #expect(app.apply(.syncEnded(.done(dueIn: nil))) == [])
        _ = app.apply(.enteredBackground)
        #expect(app.apply(.becameActive) == [.foregroundSync])
    }

    @Test func `an app that is opened before its store is syncs when it is`() {
        var app = IOSApplication()
        _ = app.apply(.launched(isProtectedDataAvailable: true))
        #expect(app.apply(.becameActive) == [])
        #expect(app.apply(.storeOpened(isEnrolled: true)) == [.foregroundSync])
    }

    @Test func `a store that cannot be used is told to the user, and every push is completed`() {
        var app = IOSApplication()
        _ = app.apply(.launched(isProtectedDataAvailable: true))
        _ = app.apply(.remoteNotification(hint, completion: 1, now: 0))
        #expect(
            app.apply(.storeFailed(.damaged("x"))) == [.reportStore(.damaged("x")), .complete(1, .failed)])
        #expect(app.apply(.remoteNotification(hint, completion: 2, now: 0)) == [.complete(2, .failed)])
    }

    @Test func `a store that was full is opened again when the owner comes back, a damaged one is not`() {
        for (error, effects) in [
            (WorkStoreError.full, [IOSApplication.Effect.openStore]), (.damaged("x"), []),
        ] {
            var app = IOSApplication()
            _ = app.apply(.launched(isProtectedDataAvailable: true))
            _ = app.apply(.storeFailed(error))
            #expect(app.apply(.becameActive) == effects)
        }
    }

    /// All orders of six calls of the system, from the launch on.
    @Test
    func `whatever the order of events, each completion handler is called once at most and never before its push`() {
        let job = World.payload(.random())
        let events: [IOSApplication.Event] = [
            .storeOpened(isEnrolled: true), .becameActive, .remoteNotification(job, completion: 1, now: 0),
            .willPresent(job), .received(push: 1, .noData), .windowEnded(push: 1),
        ]
        for order in permutations(events.count) {
            var app = IOSApplication()
            _ = app.apply(.launched(isProtectedDataAvailable: true))
            var completions = 0
            var effects: [IOSApplication.Effect] = []
            for index in order {
                effects += app.apply(events[index])
                if index == 2 { completions = 1 }
                let done = effects.count { if case .complete = $0 { true } else { false } }
                #expect(done <= completions)
            }
            for push in 1...2 { effects += app.apply(.windowEnded(push: push)) }
            #expect(effects.count { if case .complete = $0 { true } else { false } } == 1, "\(order)")
        }
    }

    private func permutations(_ count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return permutations(count - 1).flatMap { rest in
            (0...rest.count).map { position in
                var order = rest
                order.insert(count - 1, at: position)
                return order
            }
        }
    }
}
