import Daemon
import Delivery

/// Between claiming and publishing: rows are held until the window has room for them.
extension Relay {
    func hold(_ claims: [Claim]) {
        held += claims
        windowChanged()
    }

    /// Publishes what is held as soon as the window has room, until claiming is over; returns when all has ended.
    func publishHeld() async {
        await withDiscardingTaskGroup { group in
            while let claims = await nextHeld() { group.addTask { await self.publish(claims) } }
        }
    }

    /// As many of the held rows as the window has room for; nil when no more will come.
    private func nextHeld() async -> [Claim]? {
        while true {
            let count = window.handover(of: held.count)
            if count > 0 {
                let claims = Array(held.prefix(count))
                held.removeFirst(count)
                handOver(count)
                return claims
            }
            if claimingIsOver, held.isEmpty { return nil }
            await windowChange()
        }
    }

    /// One after the other with nothing else on its way: if one of them kills this process, it is charged alone.
    func publishAlone(_ suspects: [Claim], until shutdown: Shutdown) async {
        for (index, suspect) in suspects.enumerated() {
            while !shutdown.isRequested, window.inFlight > 0 || window.held > suspects.count - index {
                await windowChange()
            }
            if shutdown.isRequested {
                await giveBack([suspect])
            } else {
                handOver(1)
                await publish([suspect])
            }
        }
    }

    func giveBackHeld() async {
        let claims = held
        held = []
        await giveBack(claims)
    }

    private func giveBack(_ claims: [Claim]) async {
        window.givenBack(claims.count)
        await ended(claims.map { Ending(claim: $0, result: "not_written", settlement: settlement($0, .release)) })
    }

    private func handOver(_ count: Int) {
        window.started(count)
        metrics.inFlight.set(window.inFlight)
        windowChanged()
    }

    // MARK: Waiting

    /// Suspends until something about the window or what is held has changed.
    func windowChange() async {
        await withCheckedContinuation { windowWaiters.append($0) }
    }

    func windowChanged() {
        let waiters = windowWaiters
        windowWaiters = []
        for waiter in waiters { waiter.resume() }
    }
}
