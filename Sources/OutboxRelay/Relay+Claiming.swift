import AMQP
import Daemon
import Delivery
import Postgres
import Storage

extension Relay {
    /// One claim of every lane that may be asked, all at once.
    func claimFromEveryLane() async -> [ClaimAnswer] {
        guard await publisher.isConnected, await !publisher.isBlocked else { return [] }
        let now = ContinuousClock.now
        let allowances = lanes.keys.sorted().compactMap { number in
            let allowance = allowance(of: number, at: now)
            return allowance > 0 ? (number: number, allowance: allowance) : nil
        }
        let quiet = allowances.count { lanes[$0.number]?.isQuiet == true }
        let portions = window.portions(busy: allowances.count - quiet, quiet: quiet)
        guard max(portions.busy, portions.quiet) > 0 else { return [] }
        return await withTaskGroup { group in
            for (number, allowance) in allowances {
                let portion = lanes[number]?.isQuiet == true ? portions.quiet : portions.busy
                group.addTask {
                    await self.claim(number, atMost: min(allowance, portion, self.configuration.claimLimit))
                }
            }
            var answers: [ClaimAnswer] = []
            for await answer in group { if let answer { answers.append(answer) } }
            return answers
        }
    }

    /// Makes the messages of a claim and holds them for publishing; returns those that have to be published alone.
    func readAndHold(_ answer: ClaimAnswer) async -> [Claim] {
        let batch: ClaimedBatch
        do {
            batch = try await answer.read()
        } catch {
            // An answer without its columns: the leases end by themselves.
            Log.error("a claim cannot be read", [.cause: .string(error.description)])
            dropped(answer.published, of: answer.route)
            return []
        }
        if !batch.unreadable.isEmpty {
            metrics.buried("invalid").add(batch.unreadable.count)
            dropped(batch.unreadable.count, of: answer.route)
            let until = ContinuousClock.now + configuration.lease
            await settlements.add(
                batch.unreadable.map { Settlement(verb: .bury, lease: $0.lease, reason: $0.reason, until: until) })
        }
        hold(batch.claims.filter { !$0.isSuspect })
        return batch.claims.filter(\.isSuspect)
    }

    /// Claimed rows that will not be published by this claim.
    private func dropped(_ count: Int, of route: Int16) {
        window.givenBack(count)
        for _ in 0..<count { lanes[route]?.flow.notQueued() }
        windowChanged()
    }

    /// How many rows of a lane may be claimed now.
    private func allowance(of number: Int16, at now: ContinuousClock.Instant) -> Int {
        guard let lane = lanes[number], !lane.isClaiming else { return 0 }
        guard let row = lane.row else { return configuration.claimLimit }
        guard !lane.isPausedByHand, let outcomesReady, outcomesReady <= configuration.outcomesCap else { return 0 }
        let capacity = lane.flow.capacity(at: now, freshFor: configuration.answerFreshFor)
        if capacity == 0, lane.flow.consumers > 0 { askSoon() }
        return breakers[row.queue]?.allowance(of: capacity, at: now) ?? capacity
    }

    private func claim(_ number: Int16, atMost limit: Int) async -> ClaimAnswer? {
        guard var lane = lanes[number] else { return nil }
        let began = ContinuousClock.now
        let begun = databaseNow?.microseconds ?? 0
        let floors = lane.floors.next(at: began)
        lane.isClaiming = true
        lanes[number] = lane
        defer { lanes[number]?.isClaiming = false }
        do {
            let answer = try await statement(lane, atMost: limit, floors: floors)
            metrics.claimSeconds.observe(ContinuousClock.now - began)
            conditions.claimSucceeded()
            claimed(answer, number, limit: limit, begun: begun, took: ContinuousClock.now - began)
            return answer
        } catch {
            conditions.claimFailed(error, for: configuration.unreadyAfter)
            return nil
        }
    }

    private func statement(_ lane: RouteLane, atMost limit: Int, floors: [Int64]) async throws(PostgresError)
        -> ClaimAnswer
    {
        guard let row = lane.row else { return try await store.claimEvents(atMost: limit, floors: floors) }
        let proof = RelayRepublishProof(
            route: lane.sight, outcomes: outcomes, deadIndex: deadIndex, now: databaseNow?.microseconds ?? 0,
            margin: configuration.proofMargin, staleAfter: configuration.staleAfter)
        return try await store.claimHints(row, atMost: limit, floors: floors, proof: proof)
    }

    private func claimed(_ answer: ClaimAnswer, _ number: Int16, limit: Int, begun: Int64, took: Duration) {
        metrics.claimsBelowFloor.add(lanes[number]?.floors.below(answer.places) ?? 0)
        lanes[number]?.floors.claimed(answer.places, limit: limit, begun: begun, took: took)
        lanes[number]?.flow.claimed(answer.published)
        lanes[number]?.isQuiet = answer.touched == 0
        window.claimed(answer.published)
        if answer.touched == 0 { metrics.emptyClaims.add() }
        metrics.expiredLeases.add(answer.lapsed)
        metrics.claimed(verdict: "publish").add(answer.published)
        for (verdict, count) in answer.others {
            metrics.claimed(verdict: verdict).add(count)
            if ["buried", "silent", "missing"].contains(verdict) { metrics.buried(verdict).add(count) }
        }
    }
}
