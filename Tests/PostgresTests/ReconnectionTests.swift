import Testing

@testable import Postgres

struct ReconnectionTests {
    @Test(arguments: [(0, 0, 0), (1, 25, 50), (2, 50, 100), (5, 400, 800), (8, 2500, 5000), (100, 2500, 5000)])
    func `the pause doubles from 50 ms to 5 s and its upper half is random`(failures: Int, least: Int, most: Int) {
        #expect(Reconnection().delay(failures: failures, jitter: 0) == .milliseconds(least))
        #expect(Reconnection().delay(failures: failures, jitter: 1) == .milliseconds(most))
    }
}
