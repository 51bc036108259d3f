import Testing

@testable import HTTP2

struct VigilTests {
    private let start = ContinuousClock.now

    private func vigil(_ change: (inout Upkeep) -> Void) -> Vigil {
        var upkeep = Upkeep()
        upkeep.pingTimeout = .seconds(10)
        change(&upkeep)
        return Vigil(upkeep: upkeep, openedAt: start, jitter: 0.5)
    }

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func `an idle connection is pinged, and lives if anything comes`() {
        var vigil = vigil { $0.pingAfterIdle = .seconds(60) }
        #expect(vigil.check(now: at(59), lastReceived: start, open: 0) == .none)
        #expect(vigil.check(now: at(60), lastReceived: start, open: 0) == .ping)
        #expect(vigil.check(now: at(61), lastReceived: at(61), open: 0) == .none)
        #expect(vigil.check(now: at(121), lastReceived: at(61), open: 0) == .ping)
    }

    @Test func `an unanswered PING condemns`() {
        var vigil = vigil { $0.pingAfterIdle = .seconds(60) }
        _ = vigil.check(now: at(60), lastReceived: start, open: 1)
        #expect(vigil.check(now: at(69), lastReceived: start, open: 1) == .none)
        #expect(vigil.check(now: at(70), lastReceived: start, open: 1) == .condemn)
    }

    @Test func `a suspect is pinged at once if pings are allowed`() {
        var pinged = vigil { $0.pingAfterIdle = .seconds(60) }
        pinged.suspect()
        #expect(pinged.check(now: at(1), lastReceived: start, open: 1) == .ping)
        var unpinged = vigil { _ in }
        unpinged.suspect()
        #expect(unpinged.check(now: at(1), lastReceived: start, open: 1) == .none)
    }

    @Test func `idleness counts from the last open request`() {
        var vigil = vigil { $0.closeAfterIdle = .seconds(180) }
        #expect(vigil.check(now: at(170), lastReceived: at(170), open: 1) == .none)
        #expect(vigil.check(now: at(200), lastReceived: at(170), open: 0) == .none)
        #expect(vigil.check(now: at(379), lastReceived: at(170), open: 0) == .none)
        #expect(vigil.check(now: at(380), lastReceived: at(170), open: 0) == .closeIdle)
    }

    @Test func `an old connection is retired once, earlier by its share of the jitter`() {
        var vigil = vigil {
            $0.maximumAge = .seconds(3300)
            $0.ageJitter = .seconds(120)
        }
        #expect(vigil.check(now: at(3239), lastReceived: at(3239), open: 1) == .none)
        #expect(vigil.check(now: at(3240), lastReceived: at(3240), open: 1) == .retire)
        #expect(vigil.check(now: at(3241), lastReceived: at(3241), open: 1) == .none)
    }

    @Test func `the next check is the earliest that matters`() {
        let vigil = vigil {
            $0.pingAfterIdle = .seconds(60)
            $0.closeAfterIdle = .seconds(180)
        }
        #expect(vigil.nextCheck(lastReceived: at(10)) == at(70))
        #expect(self.vigil { _ in }.nextCheck(lastReceived: at(10)) == nil)
    }
}
