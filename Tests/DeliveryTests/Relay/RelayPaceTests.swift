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

}
