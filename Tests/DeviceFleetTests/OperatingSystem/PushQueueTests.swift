import Delivery
import DeviceFleet
import Testing

@Suite struct PushQueueTests {
    private func message(_ number: Int, expiresAt: Int64 = .max) -> PushMessage {
        PushMessage(payload: Array("\(number)".utf8), expiresAt: expiresAt)
    }

    @Test func `APNs keeps the latest notification of an app, and nothing else`() {
        var queue = PushQueue(platform: .ios)
        for number in 1...20 { queue.hold(message(number), now: 0) }
        #expect(queue.release(now: 1) == [.message(message(20))])
        #expect(queue.release(now: 1) == [])
    }

    @Test func `FCM keeps a hundred messages in their order, and beyond that only says that it dropped them`() {
        var queue = PushQueue(platform: .android)
        for number in 1...100 { queue.hold(message(number), now: 0) }
        #expect(queue.release(now: 1) == (1...100).map { .message(message($0)) })
        for number in 1...101 { queue.hold(message(number), now: 0) }
        #expect(queue.release(now: 1) == [.deletedMessages])
    }

    @Test func `what expired is not delivered, and after four weeks FCM says that something was deleted`() {
        var queue = PushQueue(platform: .ios)
        queue.hold(message(1, expiresAt: 10), now: 0)
        #expect(queue.release(now: 10) == [])
        var fcm = PushQueue(platform: .android)
        fcm.hold(message(1), now: 0)
        #expect(fcm.release(now: PushQueue.longestStay + 1) == [.deletedMessages])
    }
}
