import DeviceKit
import Testing

@Suite struct ForegroundSyncTests {
    private func open(_ events: ForegroundSync.Event...) -> ForegroundSync {
        var foreground = ForegroundSync()
        for event in [.ready, .becameActive] + events { _ = foreground.apply(event) }
        return foreground
    }

    @Test func `a sync that fails is tried again, with pauses that grow to half a minute`() {
        var foreground = open()
        var pauses: [Int64] = []
        for number in 1...8 {
            guard case .startTimer(let timer, let pause) = foreground.apply(.ended(.failed)).first else {
                Issue.record("no timer after failure \(number)")
                return
            }
            pauses.append(pause)
            #expect(foreground.apply(.timerFired(timer)) == [.sync])
        }
        #expect(pauses == [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    }

    @Test func `what falls due while the app is open is worked on then, without another listing`() {
        var foreground = open()
        guard case .startTimer(let timer, 95_000) = foreground.apply(.ended(.done(dueIn: 95_000))).first else {
            Issue.record("no timer")
            return
        }
        #expect(foreground.apply(.timerFired(timer)) == [.work])
    }

    @Test func `in the background no timer of the foreground does anything`() {
        var foreground = open()
        guard case .startTimer(let timer, _) = foreground.apply(.ended(.failed)).first else {
            Issue.record("no timer")
            return
        }
        _ = foreground.apply(.enteredBackground)
        #expect(foreground.apply(.timerFired(timer)) == [])
    }

    @Test func `an app that comes back while a sync runs gets one of its own after it`() {
        var foreground = open(.enteredBackground)
        #expect(foreground.apply(.becameActive) == [])
        #expect(foreground.apply(.ended(.done(dueIn: nil))) == [.sync])
    }

    @Test func `a network that comes back ends the pause`() {
        var foreground = open(.ended(.failed))
        #expect(foreground.apply(.networkCameBack) == [.sync])
    }

    @Test func `a device that was revoked waits for its enrolment`() {
        var foreground = open(.ended(.revoked), .enteredBackground)
        #expect(foreground.apply(.becameActive) == [])
        #expect(foreground.apply(.ready) == [.sync])
    }
}
