import DeviceFleet
import DeviceKit
import Testing

@Suite struct IOSSystemTests {
    private let push = PhoneEvent.delivered(.message(PushMessage(payload: [1])))

    /// In the background, suspended.
    private func suspended(_ change: (inout PhoneSettings) -> Void = { _ in }) -> IOSSystem {
        var system = IOSSystem()
        var settings = PhoneSettings()
        change(&settings)
        for event in [PhoneEvent.settings(settings), .opened, .left, .timer(1)] {
            _ = system.apply(event, now: 0, luck: 0)
        }
        return system
    }

    @Test func `a push in the background is shown, wakes the app for thirty seconds and lets it sleep again`() {
        var system = suspended()
        #expect(
            system.apply(push, now: 7, luck: 0) == [
                .show([1], isSilent: false), .resume, .startTimer(2, after: 30_000),
                .ios(.remoteNotification([1], completion: 2, now: 7)),
            ])
        #expect(system.apply(.completed(2), now: 8, luck: 0) == [.suspend])
        #expect(system.apply(.timer(2), now: 30_007, luck: 0) == [])
    }

    @Test func `R-27: iOS may give no window at all`() {
        var system = suspended()
        #expect(system.apply(push, now: 0, luck: 0.9) == [.show([1], isSilent: false)])
    }

    @Test func `with background refresh off, or saving power, there is the alert alone`() {
        for change in [
            { $0.refreshesInBackground = false }, { $0.savesPower = true },
        ] as [(inout PhoneSettings) -> Void] {
            var system = suspended(change)
            #expect(system.apply(push, now: 0, luck: 0) == [.show([1], isSilent: false)])
        }
    }

    @Test func `under a Focus the alert makes no sound, and the window is given`() {
        var system = suspended { $0.isFocused = true }
        let effects = system.apply(push, now: 0, luck: 0)
        #expect(effects.first == .show([1], isSilent: true) && effects.contains(.resume))
    }

    @Test func `with alerts off nothing is shown, and the window is given`() {
        var system = suspended { $0.showsAlerts = false }
        #expect(system.apply(push, now: 0, luck: 0).first == .resume)
    }

    @Test func `R-36: a force-quit app is not started by a push until its owner opens it or the phone restarts`() {
        for event in [PhoneEvent.opened, .restarted] {
            var system = suspended()
            #expect(system.apply(.forceQuit, now: 0, luck: 0) == [.terminate])
            #expect(system.apply(push, now: 0, luck: 0) == [.show([1], isSilent: false)])
            _ = system.apply(event, now: 0, luck: 0)
            let effects = system.apply(push, now: 0, luck: 0)
            #expect(
                effects.contains { if case .ios(.remoteNotification) = $0 { true } else { false } }, "\(event)")
        }
    }

    @Test func `in the foreground one push brings both callbacks, in either order`() {
        var system = suspended()
        _ = system.apply(.opened, now: 0, luck: 0)
        for luck in [0.1, 0.9] {
            let effects = system.apply(push, now: 0, luck: luck)
            #expect(effects.count == 2 && effects.contains(.ios(.willPresent([1]))))
            #expect((effects.first == .ios(.willPresent([1]))) == (luck < 0.5))
        }
    }

    @Test func `before the first unlock an app is started without its protected data`() {
        var system = suspended()
        _ = system.apply(.restarted, now: 0, luck: 0)
        let effects = system.apply(push, now: 0, luck: 0)
        #expect(effects.contains(.ios(.launched(isProtectedDataAvailable: false))))
        #expect(system.apply(.unlocked, now: 0, luck: 0) == [.ios(.protectedDataBecameAvailable)])
    }

    @Test func `with refresh and alerts both off the registration is never answered`() {
        var system = suspended {
            $0.refreshesInBackground = false
            $0.showsAlerts = false
        }
        #expect(system.apply(.registrationAsked, now: 0, luck: 0) == [])
        var other = suspended { $0.showsAlerts = false }
        #expect(other.apply(.registrationAsked, now: 0, luck: 0) == [.giveToken])
    }
}
