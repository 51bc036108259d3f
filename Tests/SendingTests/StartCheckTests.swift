import Testing

@testable import Sending

struct StartCheckTests {
    private let check = StartCheck(SendingSettings())

    @Test(arguments: zip([0, 100_000, 100_001, 120_000, 200_000] as [Int64], [true, true, false, false, false]))
    func `a request starts only if it can end, clocks apart, before the deadline`(now: Int64, expected: Bool) {
        #expect(check.mayStart(deadline: 120_000, now: now) == expected)
    }
}
