import Testing

@testable import DeviceFleet

@Suite(.timeLimit(.minutes(1))) struct InboxTests {
    @Test func `what is put is taken in order`() async {
        let inbox = Inbox<Int>()
        for number in 1...3 { inbox.put(number) }
        #expect(await inbox.next(within: nil) == 1)
        #expect(await inbox.next(within: nil) == 2)
        #expect(await inbox.next(within: .zero) == 3)
        #expect(await inbox.next(within: .milliseconds(1)) == nil)
    }

    @Test func `a taker that waits gets what comes`() async {
        let inbox = Inbox<Int>()
        async let taken = inbox.next(within: nil)
        inbox.put(7)
        #expect(await taken == 7)
    }

    @Test func `a cancelled taker gets nothing and loses nothing`() async {
        let inbox = Inbox<Int>()
        let task = Task { await inbox.next(within: nil) }
        task.cancel()
        #expect(await task.value == nil)
        inbox.put(1)
        #expect(await inbox.next(within: nil) == 1)
    }
}
