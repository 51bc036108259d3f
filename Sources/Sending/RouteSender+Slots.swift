import Daemon

extension RouteSender {
    /// Waits until the throttle allows one more open request; the checks that follow see the time that went by.
    func takeSlot() async {
        while open >= throttle.allowed, !isStopping {
            await withCheckedContinuation { waitingForSlot.append($0) }
        }
        open += 1
    }

    func freeSlot() {
        open -= 1
        // Each looks for itself whether there is room; more than one slot may have been given back.
        wakeSlots(max(1, throttle.allowed - open))
    }

    /// Waits for the provider's quota.
    func pace() async {
        guard let pacer else { return }
        let slot = pacer.reserve()
        guard slot > .now else { return }
        numbers.pacingWaits.add()
        // In short pieces: a stop does not wait for the quota.
        while !isStopping, slot > .now {
            guard (try? await Task.sleep(until: min(slot, .now + .milliseconds(500)), clock: .continuous)) != nil
            else { return }
        }
    }

    /// The provider said that all hints of a project, or of a route, come too fast.
    func slowDown() {
        if let pacer { pacer.slowed() } else { throttle.slowed(now: .now) }
    }

    func wakeSlots(_ count: Int) {
        let woken = waitingForSlot.prefix(count)
        waitingForSlot.removeFirst(woken.count)
        for waiting in woken { waiting.resume() }
    }
}
