public import Delivery
import Messages

/// The phone's half of Mobile Delivery: hints and launches go in, durable receipts and acknowledgements come out. One per
/// installation; every method may be called at any time and any number of times.
public actor Device {
    public nonisolated let identity: DeviceIdentity
    let settings: DeviceSettings
    let hosts: DeviceHosts
    let client: GatewayClient
    let wanted = SyncWish()
    var lastCoalescedSync: Int64?
    private var syncing = false

    /// Loads the installation's identity, or makes one. Enrol before anything else if it has no account.
    public init(
        platform: Platform, settings: DeviceSettings, hosts: DeviceHosts
    ) async throws(WorkStoreError) {
        self.settings = settings
        self.hosts = hosts
        identity = try await DeviceIdentity.loadOrMake(platform: platform, in: hosts.store, random: hosts.random)
        client = GatewayClient(
            device: identity.device, transport: hosts.transport, keys: hosts.keys, clock: hosts.clock)
        if settings.isOnlyProcess { try await hosts.store.forgetClaims() }
        hosts.journal.record(JournalEntry(.boot))
    }

    /// The identity of a store, made if there is none yet: for hosts that need to know before they start the device.
    public static func identity(
        platform: Platform, store: any WorkStore, random: any RandomSource = SystemRandomSource()
    ) async throws(WorkStoreError) -> DeviceIdentity {
        try await DeviceIdentity.loadOrMake(platform: platform, in: store, random: random)
    }

    /// Works on every job that has something due, oldest first, until the deadline (monotonic milliseconds); returns when
    /// the next one is due (epoch milliseconds), `nil` if none is.
    @discardableResult
    public func work(until deadline: Int64? = nil) async throws(DeviceError) -> Int64? {
        let jobs: [LocalJob]
        do { jobs = try await hosts.store.openJobs() } catch { throw DeviceError(error) }
        let pipeline = pipeline()
        let ends = await withTaskGroup(of: PipelineEnd.self) { group in
            var ends: [PipelineEnd] = []
            var queue = jobs.map(\.job)[...]
            for id in queue.prefix(settings.concurrency) { group.addTask { await pipeline.run(id, until: deadline) } }
            queue = queue.dropFirst(settings.concurrency)
            while let end = await group.next() {
                ends.append(end)
                guard end != .revoked, end != .stopped, let id = queue.popFirst() else { continue }
                group.addTask { await pipeline.run(id, until: deadline) }
            }
            return ends
        }
        if ends.contains(.revoked) { throw .revoked }
        if ends.contains(.stopped) { throw .stopped }
        return ends.compactMap { end in
            switch end {
            case .waiting(let time): time
            case .busy: hosts.clock.wall() + settings.claimTime
            case .finished, .unknown, .revoked, .stopped: nil
            }
        }.min()
    }

    /// The authoritative listing: upserts what it names, sends reports again that it still lacks, then works.
    @discardableResult
    public func sync(_ origin: Origin, until deadline: Int64? = nil) async throws(DeviceError) -> Int64? {
        if !syncing {
            syncing = true
            defer { syncing = false }
            wanted.clear()
            try await list(origin)
        }
        return try await work(until: deadline)
    }

    private func list(_ origin: Origin) async throws(DeviceError) {
        let known: Listing?
        do { known = try await hosts.store.lastListing() } catch { throw DeviceError(error) }
        let answer: Listing?
        do { answer = try await client.listing(unless: known?.etag) } catch { throw DeviceError(error) }
        // Not modified confirms the last listing: what it names is still wanted of us.
        guard let listing = answer ?? known else { return }
        do {
            try await hosts.store.apply(listing, origin: origin, now: hosts.clock.wall())
        } catch {
            throw DeviceError(error)
        }
        hosts.journal.record(
            JournalEntry(.listed, detail: "\(answer == nil ? "unchanged, " : "")\(listing.entries.count) jobs"))
    }

    /// The app became active, whatever its permissions are: nothing waits any longer, and the queue is listed.
    @discardableResult
    public func foreground(until deadline: Int64? = nil) async throws(DeviceError) -> Int64? {
        hosts.journal.record(JournalEntry(.foreground))
        do { try await hosts.store.wakeUp() } catch { throw DeviceError(error) }
        return try await sync(.foreground, until: deadline)
    }

    /// FCM dropped hints of this device: only the listing can tell which.
    @discardableResult
    public func messagesWereDeleted(until deadline: Int64? = nil) async throws(DeviceError) -> Int64? {
        try await sync(.deletedMessages, until: deadline)
    }

    func pipeline() -> Pipeline {
        let wanted = wanted
        return Pipeline(
            device: identity.device, client: client, store: hosts.store, keys: hosts.keys, generator: hosts.generator,
            authors: settings.authors, clock: hosts.clock, random: hosts.random, journal: hosts.journal,
            schedule: settings.schedule, claimTime: settings.claimTime, othersPending: { wanted.set() })
    }
}
