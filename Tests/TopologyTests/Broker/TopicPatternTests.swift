import Testing

@testable import Topology

struct `A binding key` {
    @Test(arguments: [
        ("ack", "ack", true), ("ack", "acks", false), ("#", "", true), ("#", "a.b.c", true),
        ("outcome.#", "outcome", true), ("outcome.#", "outcome.apns.production.cheqi", true),
        ("outcome.#", "outcomes.apns", false), ("*.r1", "RECEIPT.r1", true), ("*.r1", "r1", false),
        ("#.r1", "r1", true), ("a.*.c", "a.b.c", true), ("a.*.c", "a.b.b.c", false), ("a.#.c", "a.b.b.c", true),
    ])
    func `takes the keys that a topic exchange would take`(pattern: String, key: String, isTaken: Bool) {
        #expect(TopicPattern(pattern).matches(key) == isTaken)
    }
}
