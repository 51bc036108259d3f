/// Deliveries that nobody took yet, and those who wait for one. Its size is bounded by the prefetch.
struct DeliveryInbox {
    private var deliveries: [Delivery] = []
    private var taken = 0
    private var waiters: [(number: Int, continuation: CheckedContinuation<Delivery?, Never>)] = []
    private var lastWaiter = 0
    private(set) var isStopped = false

    mutating func put(_ delivery: Delivery) {
        if waiters.isEmpty {
            deliveries.append(delivery)
        } else {
            waiters.removeFirst().continuation.resume(returning: delivery)
        }
    }

    mutating func take() -> Delivery? {
        guard taken < deliveries.count else { return nil }
        defer {
            taken += 1
            if taken == deliveries.count { forget() }
        }
        return deliveries[taken]
    }

    mutating func newWaiter() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    mutating func wait(_ number: Int, _ continuation: CheckedContinuation<Delivery?, Never>) {
        if isStopped {
            continuation.resume(returning: nil)
        } else {
            waiters.append((number, continuation))
        }
    }

    mutating func giveUp(_ number: Int) {
        guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
        waiters.remove(at: index).continuation.resume(returning: nil)
    }

    mutating func forget() {
        deliveries = []
        taken = 0
    }

    mutating func stop() {
        isStopped = true
        forget()
        let all = waiters
        waiters = []
        for waiter in all { waiter.continuation.resume(returning: nil) }
    }
}
