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

    func wakeSlots(_ count: Int) {
        let woken = waitingForSlot.prefix(count)
        waitingForSlot.removeFirst(woken.count)
        for waiting in woken { waiting.resume() }
    }
}
