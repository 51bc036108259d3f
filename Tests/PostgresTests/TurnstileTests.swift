import Testing

@testable import Postgres

struct TurnstileTests {
    @Test func `statements pass while nobody holds the connection`() {
        var turnstile = Turnstile()
        let passed = [turnstile.arrived(shared: 1), turnstile.arrived(shared: 2)]
        #expect(passed == [true, true])
    }

    @Test func `a transaction alone has the connection at once`() {
        var turnstile = Turnstile()
        let passed = turnstile.arrived(exclusive: 1)
        #expect(passed)
        #expect(turnstile.holder == 1)
    }

    @Test func `who comes during a transaction waits and goes in as it came`() {
        var turnstile = Turnstile()
        _ = turnstile.arrived(exclusive: 1)
        let passed = [turnstile.arrived(shared: 2), turnstile.arrived(exclusive: 3), turnstile.arrived(shared: 4)]
        #expect(passed == [false, false, false])
        let first = turnstile.left(exclusive: 1)
        #expect(first == [.shared(2), .exclusive(3)])
        let second = turnstile.left(exclusive: 3)
        #expect(second == [.shared(4)])
        #expect(turnstile.isIdle)
    }

    @Test func `a waiter that gives up is passed over`() {
        var turnstile = Turnstile()
        _ = turnstile.arrived(exclusive: 1)
        _ = turnstile.arrived(exclusive: 2)
        _ = turnstile.arrived(shared: 3)
        let admitted = turnstile.gaveUp(2)
        #expect(admitted == [])
        let next = turnstile.left(exclusive: 1)
        #expect(next == [.shared(3)])
    }

    @Test func `only the holder can leave`() {
        var turnstile = Turnstile()
        _ = turnstile.arrived(exclusive: 1)
        let admitted = turnstile.left(exclusive: 2)
        #expect(admitted == [])
        #expect(turnstile.holder == 1)
    }
}
