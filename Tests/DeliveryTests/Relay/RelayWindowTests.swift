import Delivery
import Testing

@Suite struct RelayWindowTests {
    private var window = RelayWindow(size: 10)

    @Test mutating func `its room is shared among those who claim`() {
        #expect(window.portion(of: 3) == 6)
        window.claimed(19)
        #expect(window.portion(of: 3) == 1)
        window.claimed(1)
        #expect(window.portion(of: 1) == 0)
    }

    @Test mutating func `twice as many rows as may be on their way are claimed ahead`() {
        window.claimed(10)
        window.started(10)
        #expect(window.free == 0 && window.room == 20)
        window.claimed(20)
        #expect(window.room == 0)
    }

    @Test mutating func `an end makes room for the next message, not for a claim`() {
        window.claimed(10)
        window.started(10)
        window.claimed(20)
        window.ended(4)
        #expect(window.free == 4 && window.room == 0)
    }

    @Test mutating func `it is roomy while a claim of its size fits`() {
        window.claimed(11)
        #expect(!window.isRoomy)
        window.started(1)
        #expect(window.isRoomy)
    }

    @Test mutating func `it is idle when nothing is held and nothing on its way`() {
        window.claimed(3)
        window.started(2)
        window.givenBack(1)
        #expect(!window.isIdle)
        window.ended(2)
        #expect(window.isIdle)
    }
}
