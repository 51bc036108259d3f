import Daemon
import FoundationEssentials
import HTTP2
import LocalStack
import Messages
import ProviderSimulator

/// The simulated APNs beside `nghttpd`, the plain C server of nghttp2: the same requests by `h2load`, one after the other
/// in each round. The simulator checks, journals and delivers every one; `nghttpd` answers with an empty file.
public struct SimulatorBenchmark: Sendable {
    public var requests = 200_000
    public var rounds = 5
    /// Each is a figure of its own; the last one is the report's.
    public var connections = [1, 4]
    public var streams = 100

    /// Phones that the requests go to, in turn.
    private static let phones = 100

    public init() {}

    /// `temporary` is where its folder goes.
    public func run(under temporary: String) async throws -> Report {
        let folder = "\(temporary)/mobile-delivery-bench-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        do {
            let report = try await run(in: folder)
            try? FileManager.default.removeItem(atPath: folder)
            return report
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    private func run(in folder: String) async throws -> Report {
        let site = try await SimulatorSite.start(in: folder, phones: Self.phones)
        do {
            let report = try await measure(site)
            await site.stop()
            return report
        } catch {
            await site.stop()
            throw error
        }
    }

    private func measure(_ site: SimulatorSite) async throws -> Report {
        var figures: [Report] = []
        for number in connections { figures.append(try await figure(site, connections: number)) }
        guard var report = figures.popLast() else { throw Unusable("no number of connections") }
        report.also = figures
        report.details = [
            Report.Fact("delivered to phones", .integer(Int64(site.delivered)))
        ]
        report.settings = [
            Report.Fact("requests of a round", .integer(Int64(requests))),
            Report.Fact("streams of a connection", .integer(Int64(streams))),
            Report.Fact("phones", .integer(Int64(Self.phones))),
        ]
        report.versions = [
            Versions.build, Report.Fact("h2load", .string(try await load(site, connections: 1).version())),
        ]
        return report
    }

    private func load(_ site: SimulatorSite, connections: Int) -> LoadGenerator {
        LoadGenerator(
            requests: requests, connections: connections, streams: streams, headers: site.headers,
            bodyFile: site.bodyFile, folder: site.folder)
    }

    private func figure(_ site: SimulatorSite, connections: Int) async throws -> Report {
        let load = load(site, connections: connections)
        // Not counted: caches and the servers' memory get warm.
        _ = try await load.rate(of: site.plainURL, paths: site.paths)
        _ = try await load.rate(of: site.simulatorURL, paths: site.paths)
        var measured: [Report.Round] = []
        for _ in 0..<rounds {
            let baseline = try await load.rate(of: site.plainURL, paths: site.paths)
            measured.append(
                Report.Round(value: try await load.rate(of: site.simulatorURL, paths: site.paths), baseline: baseline))
        }
        return Report(
            "simulator, connections: \(connections)", compares: "simulated APNs ÷ nghttpd, by the same h2load",
            unit: "requests/s", goal: .atLeast(0.5), rounds: measured)
    }
}
