import Testing

@testable import ProviderSimulator

@Suite(.timeLimit(.minutes(1)))
struct FeedTests {
    @Test func `readers go on from where they stopped`() {
        let feed = Feed<String>(capacity: 10)
        for word in ["a", "b", "c"] { feed.append(word) }
        #expect(feed.after(0).map(\.element) == ["a", "b", "c"])
        #expect(feed.after(2).map(\.number) == [3])
        #expect(feed.after(3).isEmpty)
        #expect(feed.after(0, limit: 1).map(\.element) == ["a"])
    }

    @Test func `only the newest are kept, under their numbers`() {
        let feed = Feed<Int>(capacity: 4)
        for number in 1...1000 { feed.append(number) }
        let kept = feed.after(0)
        #expect(kept.count == 4)
        #expect(kept.allSatisfy { $0.number == $0.element })
        #expect(kept.last?.number == 1000)
    }

    @Test func `a reader waits for what is new`() async {
        let feed = Feed<Int>(capacity: 4)
        async let next = feed.after(0, waiting: .seconds(30))
        feed.append(7)
        #expect(await next.map(\.element) == [7])
    }

    @Test func `a reader waits no longer than it wants`() async {
        #expect(await Feed<Int>(capacity: 4).after(0, waiting: .milliseconds(20)).isEmpty)
    }

    @Test func `closing lets everybody go`() async {
        let feed = Feed<Int>(capacity: 4)
        async let next = feed.after(0, waiting: .seconds(30))
        feed.close()
        #expect(await next.isEmpty)
    }
}
