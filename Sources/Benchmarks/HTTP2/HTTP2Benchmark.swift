import Daemon
import HTTP2
public import LocalStack
import Messages

/// `bench http2`: awaited requests a second of our client on one connection, beside nghttp2's load generator on the same
/// server, and a libcurl multi loop in the same run.
///
/// Ours sends what a sender sends: a path, an `apns-id` and a body each. The load generator is told no more than the paths, so
/// that its requests are smaller; beside it the same with our header fields and body is shown.
public struct HTTP2Benchmark: Sendable {
    public var requests = 400_000
    public var rounds = 3
    public var window = 500
    public var paths = 10_000
    /// In flight while memory is looked at.
    public var flight = 1000

    /// The server has to be so much faster with four connections than with one, else it is the limit and nothing is known.
    static let reserve = 1.2

    public init() {}

    public func run(_ programs: Programs, in folder: PrivateFolder) async throws -> Report {
        let load = HTTP2Load(window: window, paths: paths)
        let streams = max(window, flight)
        return try await BareServer.with(programs, in: folder, streams: streams) { server in
            let peers = PeerClients(programs: programs, folder: folder, server: server, load: load)
            let ours = try OwnClient(server: server, load: load, streams: streams)
            var measured: [Round] = []
            for _ in 1...rounds { measured.append(try await round(peers, ours)) }
            let memory = try await ours.memory(inFlight: flight, requests: min(requests, 100_000))
            await ours.client.close()
            return try report(measured, memory)
        }
    }

    private struct Round {
        let ours: Double
        let single: Double
        let fourfold: Double
        let likeOurs: Double
        let libcurl: (rate: Double, failed: Int64)
    }

    private func round(_ peers: PeerClients, _ ours: OwnClient) async throws -> Round {
        let single = try await peers.h2load(connections: 1, requests: requests)
        let own = try await ours.callers.rate(requests: requests, window: window)
        return Round(
            ours: own, single: single,
            fourfold: try await peers.h2load(connections: 4, requests: requests),
            likeOurs: try await peers.h2load(connections: 1, requests: requests, hasBody: true),
            libcurl: try await peers.libcurl(requests: max(1, requests / 10)))
    }

    private func report(_ rounds: [Round], _ memory: OwnClient.Memory) throws -> Report {
        // The best of each: a machine's noise only ever takes away.
        let reserve = (rounds.map(\.fourfold).max() ?? 0) / (rounds.map(\.single).max() ?? 1)
        guard reserve >= Self.reserve else {
            throw Unusable(
                "four connections are served \(Report.text(reserve)) times as fast as one: the server is the limit")
        }
        var report = Report(
            "http2", compares: "awaited requests a second ÷ h2load -c 1 -m \(window) -i paths", unit: "requests/s",
            goal: .atLeast(0.5), rounds: rounds.map { Report.Round(value: $0.ours, baseline: $0.single) })
        let libcurl = Statistics.median(rounds.map(\.libcurl.rate))
        let likeOurs = Statistics.median(rounds.map(\.likeOurs))
        report.details = [
            Report.Fact("serverReserve", .decimal(Report.text(reserve))),
            Report.Fact("h2loadWithOurHeadersAndBody", .decimal(Report.text(likeOurs))),
            Report.Fact("ratioToThat", .decimal(Report.text(Statistics.median(rounds.map { $0.ours / $0.likeOurs })))),
            Report.Fact("libcurlMulti", .decimal(Report.text(libcurl))),
            Report.Fact("libcurlFailed", .integer(rounds.reduce(0) { $0 + $1.libcurl.failed })),
            Report.Fact("timesLibcurl", .decimal(Report.text(report.value / libcurl))),
            Report.Fact("inFlight", .integer(Int64(memory.inFlight))),
            Report.Fact("memoryBeforeKiB", .integer(Int64(memory.before))),
            Report.Fact("memoryInFlightKiB", .integer(Int64(memory.highest))),
        ]
        report.settings = [
            Report.Fact("requests", .integer(Int64(requests))), Report.Fact("window", .integer(Int64(window))),
            Report.Fact("paths", .integer(Int64(paths))),
        ]
        report.versions = [Versions.build]
        return report
    }
}
