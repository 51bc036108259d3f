import Daemon
import Delivery
import LocalStack
import Testing

@testable import LoadTest

/// Small rounds on a real system; `mobile-delivery-lab loadtest` has the large ones.
@Suite(.sharedSite, .serialized, .timeLimit(.minutes(5))) struct LoadRunTests {
    /// Each test has a seed of its own: one system takes the jobs of a seed only once.
    private func run(seed: UInt64, _ change: (inout LoadPlan) -> Void) async throws -> LoadReport {
        var plan = LoadPlan()
        plan.seed = seed
        plan.seconds = 4
        plan.shape = .constant(40)
        plan.accounts = 12
        plan.patience = 60
        change(&plan)
        return try await LoadRun(try #require(SharedSite.current), plan).run()
    }

    /// Entries of APNs that the simulator has a request for, with how many it accepted.
    private func acceptances() async throws -> [Identifier: Int] {
        let site = try #require(SharedSite.current)
        var counts: [Identifier: Int] = [:]
        for request in try await site.providers.journal() where request.status == 200 {
            if let id = request.field("apns-id").flatMap({ Identifier($0) }) { counts[id, default: 0] += 1 }
        }
        return counts
    }

    @Test func `every hint is accounted for, with each stage after the one before, and outsiders see every event`()
        async throws
    {
        let report = try await run(seed: 1) {
            $0.devices = .zipf(exponent: 1, most: 4)
            $0.skew = Skew(exponent: 1)
            $0.outsiders = 2
            $0.providers.latency = "[10,30]"
        }
        #expect(report.isKept && report.isDrained, "\(report.text)")
        #expect(report.conservation.end("accepted") == report.conservation.committed)
        #expect(report.conservation.committed > 100)
        #expect(report.events == report.jobs)
        let latencies = report.latencies
        let medians = [Stage.send, .accept, .record].compactMap { latencies[$0].quantile(0.5) }
        #expect(medians.count == 3 && medians == medians.sorted(), "\(medians)")
        #expect(latencies[.accept].quantile(0)! >= 10_000)
        #expect(latencies[.publish].count == latencies[.accept].count)
        for process in ["relay", "postgres", "rabbitmq", "fcm-sender"] {
            #expect(report.highestMemory(of: process) > 0, "\(process)")
        }
    }

    @Test func `swallowed hints are found by their ids, and no others`() async throws {
        let report = try await run(seed: 2) {
            $0.routes = RouteMix("apns-production=1")!
            $0.providers.plantedLoss = 0.03
        }
        let accepted = try await acceptances()
        let findings = report.conservation.findings
        #expect(!findings.isEmpty)
        #expect(findings.allSatisfy { $0.kind == .lost && accepted[$0.entry!] == nil }, "\(report.text)")
        // Whatever is not listed has its request in the journal.
        #expect(report.conservation.acceptances == report.conservation.committed - findings.count)
        #expect(!report.isKept)
    }

    @Test func `hints that were accepted twice are found by their ids, and no others`() async throws {
        let report = try await run(seed: 3) {
            $0.routes = RouteMix("apns-production=1")!
            $0.providers.plantedDouble = 0.03
        }
        let accepted = try await acceptances()
        let findings = report.conservation.findings
        #expect(!findings.isEmpty)
        #expect(findings.allSatisfy { $0.kind == .doubled && accepted[$0.entry!] == 2 }, "\(report.text)")
        #expect(accepted.values.count { $0 > 1 } == findings.count)
    }

    @Test func `with five in a hundred faults and each service killed once, nothing is lost or unexplained`()
        async throws
    {
        let report = try await run(seed: 4) {
            $0.seconds = 12
            $0.providers.faults = 0.05
            $0.faults = .eachOnce(within: 12)
            $0.phones = 2
        }
        #expect(report.isKept && report.isDrained, "\(report.text)")
        let strikes = report.samples.flatMap(\.strikes)
        for kind in ServiceKind.allCases { #expect(strikes.contains("\(kind) killed"), "\(strikes)") }
        #expect(report.samples.last!.refused > 0)
        #expect(report.latencies[.complete].count > 0)
    }

    @Test func `after an outage every owner opens the app, and phones get what no push told them`() async throws {
        let report = try await run(seed: 5) {
            $0.seconds = 6
            $0.shape = .foreground(6)
            $0.accounts = 1
            $0.phones = 4
        }
        #expect(report.isKept && report.isDrained, "\(report.text)")
        let latencies = report.latencies
        #expect(latencies[.fetch].count > 0)
        #expect(latencies[.fetch].count == latencies[.ack].count)
        // Jobs that came just after the pushes stopped waited for the foreground.
        #expect(latencies[.fetch].largest > 1_000_000, "\(report.text)")
        #expect(latencies[.persist].quantile(0.5)! >= latencies[.fetch].quantile(0.5)!)
    }

    @Test func `jobs of a seed that the system has already are refused in one line`() async throws {
        for isFirst in [true, false] {
            let failure: CommandFailure?
            do {
                _ = try await run(seed: 77) { $0.seconds = 0.5 }
                failure = nil
            } catch let error as CommandFailure {
                failure = error
            }
            #expect(isFirst ? failure == nil : failure?.line.contains("give another --seed") == true)
        }
    }

    @Test func `a producer that is late makes latency and not a lower rate`() async throws {
        // Everything at one instant: no producer commits that at once.
        let report = try await run(seed: 6) {
            $0.shape = .bursts(base: 0, jobs: 300, every: 1)
            $0.seconds = 1.5
            $0.producers = 1
            $0.batch = 1
        }
        #expect(report.jobs == 300)
        let commit = report.latencies[.commit]
        #expect(commit.largest > 4 * commit.quantile(0.1)!, "\(report.text)")
    }
}
