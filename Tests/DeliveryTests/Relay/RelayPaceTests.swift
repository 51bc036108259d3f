import Delivery
import Testing

@Suite struct RelayPaceTests {
    @Test(arguments: [
        (Duration?.none, 0.5, 50), (.milliseconds(900), 0.5, 10), (.milliseconds(1000), 0.5, 50),
        (.zero, 0.0, 8), (.zero, 1.0, 12), (.seconds(9), 0.0, 40),
    ])
    func `it is quick for a second after something was found`(_ since: Duration?, _ random: Double, _ expected: Int) {
        let pause = RelayPace().pause(sinceFound: since, random: random)
        #expect(abs((pause - .milliseconds(expected)).components.attoseconds) < 1_000_000_000_000)
    }

    @Test func `a window is shared among those who ask`() {
        var window = RelayWindow(size: 10)
        #expect(window.portion(of: 3) == 3)
        window.started(9)
        #expect(window.portion(of: 3) == 1)
        window.started()
        #expect(window.portion(of: 1) == 0 && window.free == 0)
        for _ in 0..<10 { window.ended() }
        #expect(window.isIdle)
    }
}
