import Testing

@testable import ProviderSimulator

struct RingTests {
    private func ring(_ count: Int, capacity: Int) -> Ring<Int> {
        var ring = Ring<Int>(capacity: capacity)
        for number in 0..<count { ring.append(number + 1) }
        return ring
    }

    @Test(arguments: [
        (0, 4, 0, []), (3, 4, 0, [1, 2, 3]), (3, 4, 2, [3]), (4, 4, 0, [1, 2, 3, 4]), (5, 4, 0, [2, 3, 4, 5]),
        (11, 4, 0, [8, 9, 10, 11]), (11, 4, 9, [10, 11]), (11, 4, 11, []), (11, 4, 99, []),
    ])
    func `the newest are kept under their numbers`(count: Int, capacity: Int, after: Int, expected: [Int]) {
        let found = ring(count, capacity: capacity).after(after, limit: .max)
        #expect(found.map(\.element) == expected)
        #expect(found.map(\.number) == expected)
    }

    @Test func `no more than asked for`() {
        #expect(ring(11, capacity: 4).after(0, limit: 2).map(\.number) == [8, 9])
        #expect(ring(11, capacity: 4).after(0, limit: 0).isEmpty)
    }
}
