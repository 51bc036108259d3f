import Daemon
import FoundationEssentials

/// One receipt and one credit note on their whole way, on private servers, shown as it happens.
public struct Demo: Sendable {
    let programs: Programs
    /// Where the servers' folder goes.
    let temporary: String
    let keeps: Bool
    let console: Console

    public init(_ programs: Programs, temporary: String, keeps: Bool, console: Console) {
        self.programs = programs
        self.temporary = temporary
        self.keeps = keeps
        self.console = console
    }

    /// Returns when all evidence is there; throws what is missing. Stops and removes everything, unless it keeps it.
    public func run(_ interrupts: Interrupts) async throws {
        console.heading("Starting PostgreSQL, RabbitMQ, the provider simulator and six services")
        let servers = try await Servers.start(under: temporary) { interrupts.guarding($0) }
        do {
            try await run(on: servers)
        } catch {
            try? await servers.stop()
            throw error
        }
        if !keeps { try await servers.stop() }
    }

    // A function of its own: as a part of the one above it makes the optimising compiler of Swift 6.3 crash.
    private func run(on servers: Servers) async throws {
        let stack = try await Stack.start(StackSite(servers, programs))
        do {
            try await show(stack)
        } catch {
            for line in await stack.lastWords() { console.write(console.coloured(line, .dim)) }
            await stack.stop()
            throw error
        }
        if keeps {
            try await keep(stack)
        } else {
            console.heading("Stopping everything")
            await stack.stop()
        }
    }

    private func show(_ stack: Stack) async throws {
        for process in await stack.processes {
            console.write("  \(Console.column(process.name, 13)) process \(process.child.identity.id)")
        }
        let phones = try await Phones.start(on: stack)
        let observer = try await Observer(stack)
        await observer.watch(phones)
        var timeline = DemoTimeline(console: console)
        timeline.devices = phones.platforms
        console.heading("Two encrypted jobs")
        for document in DemoDocument.allCases {
            let job = try await stack.commit(
                document.rawValue, document.json, account: phones.account, recipients: DemoDocument.recipients)
            timeline.jobs[job] = document.rawValue
            let committed = TimelineEvent(.committed, at: Date(), job: job, detail: "job \(job)")
            for event in try await ([committed] + observer.news()).sorted(by: { $0.at < $1.at }) {
                timeline.show(event)
            }
        }
        do {
            try await follow(&timeline, observer)
            await observer.close()
        } catch {
            await observer.close()
            throw error
        }
        try await prove(timeline, stack, phones)
    }

    /// Shows what happens until both jobs are complete and nothing of their way is unseen.
    private func follow(_ timeline: inout DemoTimeline, _ observer: Observer) async throws {
        let end = ContinuousClock.now + .seconds(45)
        while !timeline.open.isEmpty || timeline.jobs.keys.contains(where: { !timeline.missing($0).isEmpty }) {
            for event in try await observer.news() { timeline.show(event) }
            guard .now < end else {
                let words = timeline.jobs.map { job, type in
                    "\(type) misses \(timeline.missing(job).map(\.rawValue).joined(separator: ", "))"
                }
                throw CommandFailure(.temporary, "after 45 s \(words.sorted().joined(separator: "; "))")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func prove(_ timeline: DemoTimeline, _ stack: Stack, _ phones: Phones) async throws {
        console.heading("Evidence")
        var gaps: [String] = []
        for (job, type) in timeline.jobs.sorted(by: { $0.value > $1.value }) {
            let evidence = try await Evidence.read(job, of: stack, phones: phones)
            console.write("  \(Console.column(type, 12)) job \(job) \(evidence.isComplete ? "complete" : "open")")
            for (device, digest) in evidence.digests.sorted(by: { $0.key < $1.key }) {
                console.write("    receipt on \(Console.column(phones.platforms[device] ?? device, 8)) \(digest)")
            }
            for (recipient, ids) in evidence.effects.sorted(by: { $0.key < $1.key }) {
                console.write("    effect for \(Console.column(recipient, 8)) \(ids.sorted().joined(separator: " "))")
            }
            gaps += evidence.gaps.map { "\(type): \($0)" }
        }
        guard gaps.isEmpty else { throw CommandFailure(.failure, gaps.joined(separator: "; ")) }
        console.write(
            console.coloured("  Both jobs complete, same receipt on both phones, one effect a recipient", .green))
    }

    private func keep(_ stack: Stack) async throws {
        let addresses = try await stack.keep(in: "\(stack.site.servers.folder.path)/state.json")
        console.heading("Left running")
        for (name, address) in addresses { console.write("  \(Console.column(name, 11)) \(address)") }
    }
}
