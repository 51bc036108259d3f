import AMQP
import Daemon
import Delivery
import Postgres
import Storage

extension Relay {
    /// One claim of every lane that may be asked, all at once.
    func claimFromEveryLane() async -> [ClaimedBatch] {
        guard await publisher.isConnected, await !publisher.isBlocked else { return [] }
        let now = ContinuousClock.now
        let allowances = lanes.keys.sorted().compactMap { number in
            let allowance = allowance(of: number, at: now)
            return allowance > 0 ? (number: number, allowance: allowance) : nil
        }
        let portion = window.portion(of: allowances.count)
        guard portion > 0 else { return [] }
        return await withTaskGroup { group in
            for (number, allowance) in allowances {
                group.addTask {
                    await self.claim(number, atMost: min(allowance, portion, self.configuration.claimLimit))
                }
            }
            var batches: [ClaimedBatch] = []
            for await batch in group { if let batch { batches.append(batch) } }
            return batches
        }
    }

    /// How many rows of a lane may be claimed now.
    private func allowance(of number: Int16, at now: ContinuousClock.Instant) -> Int {
        guard let lane = lanes[number], !lane.isClaiming else { return 0 }
        guard let row = lane.row else { return configuration.claimLimit }
        guard !lane.isPausedByHand, let outcomesReady, outcomesReady <= configuration.outcomesCap else { return 0 }
        let capacity = lane.flow.capacity(at: now, freshFor: configuration.answerFreshFor)
        if capacity == 0, lane.flow.consumers > 0 { askSoon() }
        return breakers[row.route.queue]?.allowance(of: capacity, at: now) ?? capacity
    }

    private func claim(_ number: Int16, atMost limit: Int) async -> ClaimedBatch? {
        guard var lane = lanes[number] else { return nil }
        let began = ContinuousClock.now
        let begun = databaseNow?.microseconds ?? 0
        let floors = lane.floors.next(at: began)
        lane.isClaiming = true
        lanes[number] = lane
        defer { lanes[number]?.isClaiming = false }
        do {
            let batch = try await statement(lane, atMost: limit, floors: floors)
            metrics.claimSeconds.observe(ContinuousClock.now - began)
            conditions.claimSucceeded()
            claimed(batch, number, limit: limit, begun: begun, took: ContinuousClock.now - began)
            return batch
        } catch {
            conditions.claimFailed(error, for: configuration.unreadyAfter)
            return nil
        }
    }

    private func statement(_ lane: RouteLane, atMost limit: Int, floors: [Int64]) async throws(PostgresError)
        -> ClaimedBatch
    {
        guard let row = lane.row else { return try await store.claimEvents(atMost: limit, floors: floors) }
        let proof = RelayRepublishProof(
            route: lane.sight, outcomes: outcomes, deadIndex: deadIndex, now: databaseNow?.microseconds ?? 0,
            margin: configuration.proofMargin, staleAfter: configuration.staleAfter)
        return try await store.claimHints(row, atMost: limit, floors: floors, proof: proof)
    }

    private func claimed(_ batch: ClaimedBatch, _ number: Int16, limit: Int, begun: Int64, took: Duration) {
        metrics.claimsBelowFloor.add(lanes[number]?.floors.below(batch.places) ?? 0)
        lanes[number]?.floors.claimed(batch.places, wasFull: batch.touched >= limit, begun: begun, took: took)
        lanes[number]?.flow.claimed(batch.claims.count)
        window.claimed(batch.claims.count)
        if batch.touched == 0 { metrics.emptyClaims.add() }
        metrics.claimed(verdict: "publish").add(batch.claims.count)
        for (verdict, count) in batch.others {
            metrics.claimed(verdict: verdict).add(count)
            if ["buried", "silent", "missing"].contains(verdict) { metrics.buried(verdict).add(count) }
        }
        if !batch.unreadable.isEmpty { metrics.buried("invalid").add(batch.unreadable.count) }
        let until = ContinuousClock.now + configuration.lease
        for row in batch.unreadable {
            let settlement = Settlement(verb: .bury, lease: row.lease, reason: row.reason, until: until)
            Task { await settlements.add([settlement]) }
        }
    }
}
