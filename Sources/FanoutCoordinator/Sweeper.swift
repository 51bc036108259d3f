import Daemon
import Postgres

/// Looks by itself for what rows say has to be done, whether or not an event rang: lost events, expiry, purge, alarms.
struct Sweeper: Sendable {
    let worker: FanoutWorker
    let configuration: Configuration
    let metrics: CoordinatorMetrics

    private var store: CoordinatorStore { worker.store }

    /// Until the stop is requested; a step that has begun is finished. Fan-out has a loop of its own, because it waits for
    /// the broker and nothing else may wait with it.
    func run() async {
        await withTaskGroup(of: Void.self) { loops in
            loops.addTask { await repeated { await publish() } }
            loops.addTask { await keepHouse() }
        }
    }

    private func keepHouse() async {
        var nextWatch = ContinuousClock.now
        var nextPartitions = ContinuousClock.now
        var nextFinal = ContinuousClock.now
        await repeated {
            await tidy()
            if nextWatch <= .now {
                nextWatch = .now + configuration.watchInterval
                await step("watch", watch)
            }
            if nextFinal <= .now {
                nextFinal = .now + configuration.finalJobsInterval
                await step("final jobs", sweepFinalJobs)
            }
            if nextPartitions <= .now, await step("partitions", makePartitions) {
                nextPartitions = .now + .seconds(3600)
            }
        }
    }

    private func repeated(_ body: () async -> Void) async {
        repeat {
            await body()
        } while await Shutdown.current.sleep(
            for: configuration.sweepInterval * Double.random(in: 1...1.2))
    }

    /// Submissions that no event rang for.
    private func publish() async {
        await step("fan-out") { () throws(PostgresError) in
            while try await worker.sweep() > 0, !Shutdown.current.isRequested {}
        }
    }

    /// What ends or goes away. What there is more of than a batch is taken in further batches.
    private func tidy() async {
        await step("expiry", expire)
        await step("cancellation") { () throws(PostgresError) in
            try await inBatches { () throws(PostgresError) in
                let count = try await store.finishCancellations(
                    of: nil, age: configuration.unrungAfter, atMost: configuration.batch)
                metrics.cancelledJobs.add(count)
                return count
            }
        }
        await step("revocation") { () throws(PostgresError) in
            while !Shutdown.current.isRequested,
                let done = try await store.finishRevocation(
                    of: nil, age: configuration.unrungAfter, atMost: configuration.batch)
            {
                metrics.count(done)
            }
        }
        await step("purge") { () throws(PostgresError) in
            try await inBatches { () throws(PostgresError) in
                let count = try await store.purgeJobs(rest: configuration.purgeAfter, atMost: configuration.batch)
                metrics.purgedJobs.add(count)
                return count
            }
            try await inBatches { () throws(PostgresError) in
                let count = try await store.purgeCiphertexts(
                    rest: configuration.ciphertextRetention, atMost: configuration.batch)
                metrics.purgedFanouts.add(count)
                return count
            }
        }
    }

    private func expire() async throws(PostgresError) {
        try await inBatches { () throws(PostgresError) in
            let done = try await store.expireJobs(atMost: configuration.batch)
            metrics.expiredDevices.add(done.devices)
            metrics.expiredJobs.add(done.expired)
            metrics.completedJobs.add(done.completed)
            if done.taken > 0 {
                Log.info("jobs past their expiry", [.count: .count(done.taken), "expired": .count(done.expired)])
            }
            return done.taken
        }
    }

    private func makePartitions() async throws(PostgresError) {
        let made = try await store.makePartitions(days: configuration.partitionDays)
        if made > 0 { Log.info("partitions made", [.count: .count(made)]) }
    }

    private func watch() async throws(PostgresError) {
        let stuck = try await store.stuck(
            lease: configuration.stuckLeaseAfter, fanout: configuration.stuckFanoutAfter)
        metrics.stuckLeases.set(stuck.leases)
        metrics.stuckFanouts.set(stuck.fanouts)
        if let job = stuck.leaseJob {
            Log.warning("fan-outs that no device hands in", [.count: .count(stuck.leases), .job: .of(job)])
        }
        if let job = stuck.fanoutJob {
            Log.error("fan-outs that are not published", [.count: .count(stuck.fanouts), .job: .of(job)])
        }
    }

    /// Open jobs whose devices are all final, or none of which can hand in what is left.
    private func sweepFinalJobs() async throws(PostgresError) {
        let found = try await store.sweepFinalJobs(age: configuration.finalJobsAfter, atMost: configuration.batch)
        metrics.overdueJobs.add(found.overdue)
        metrics.completedJobs.add(found.overdue)
        metrics.orphanedJobs.set(found.orphaned)
        if let job = found.overdueJob {
            Log.error("jobs that nobody had completed", [.count: .count(found.overdue), .job: .of(job)])
        }
        if let job = found.orphanedJob {
            Log.warning("jobs without a device for their fan-out", [.count: .count(found.orphaned), .job: .of(job)])
        }
    }

    /// Until a batch is not full.
    private func inBatches(
        _ take: () async throws(PostgresError) -> Int
    ) async throws(PostgresError) {
        while try await take() >= configuration.batch, !Shutdown.current.isRequested {}
    }

    /// One that fails keeps no other from its turn. Returns whether it succeeded.
    @discardableResult
    private func step(_ name: String, _ body: () async throws(PostgresError) -> Void) async -> Bool {
        guard !Shutdown.current.isRequested else { return false }
        do throws(PostgresError) {
            try await body()
            return true
        } catch {
            metrics.failedSweeps.add()
            Log.warning("sweep failed", [.step: .string(name), .cause: .string("\(error)")])
            return false
        }
    }
}
