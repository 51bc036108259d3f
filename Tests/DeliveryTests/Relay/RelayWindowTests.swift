import Delivery
import Testing

@Suite struct RelayWindowTests {
    private var window = RelayWindow(size: 10)

    @Test mutating func `its room is shared among those who claim`() {
        #expect(window.portions(busy: 3, quiet: 0) == (6, 0))
        window.claimed(19)
        #expect(window.portions(busy: 3, quiet: 0) == (1, 0))
        window.claimed(1)
        #expect(window.portions(busy: 1, quiet: 0) == (0, 0))
    }

    @Test func `who found nothing last time shares a tenth of the room, or all of it when nobody is busy`() {
        #expect(window.portions(busy: 1, quiet: 2) == (18, 1))
        #expect(window.portions(busy: 0, quiet: 2) == (0, 10))
    }

    @Test mutating func `messages are handed over all at once or a quarter of the window`() {
        window.claimed(100)
        window.started(9)
        #expect(window.handover(of: 5) == 0)
        #expect(window.handover(of: 1) == 1)
        window.ended(1)
        #expect(window.handover(of: 5) == 2)
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
