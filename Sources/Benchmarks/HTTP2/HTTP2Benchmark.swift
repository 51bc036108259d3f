import Daemon
import HTTP2
public import LocalStack
import Messages

/// `bench http2`: awaited requests a second of our client on one connection, beside nghttp2's load generator on the same
/// server, and a libcurl multi loop in the same run.
///
/// Twice, each time like with like and with a baseline of its own: a path and an `apns-id` only, beside the load generator
/// that is told no more than the paths; and whole pushes, beside the load generator with the same header fields and body.
public struct HTTP2Benchmark: Sendable {
    public var requests = 400_000
    public var rounds = 3
    public var window = 500
    public var paths = 10_000
    /// In flight while memory is looked at.
    public var flight = 1000

    /// The server has to be so much faster with four connections than with one, else it is the limit and nothing is known.
    public var leastReserve = 1.2

    public init() {}

    public func run(_ programs: Programs, in folder: PrivateFolder) async throws -> Report {
        let load = HTTP2Load(window: window, paths: paths)
        let streams = max(window, flight)
        return try await BareServer.with(programs, in: folder, streams: streams) { server in
            let peers = PeerClients(programs: programs, folder: folder, server: server, load: load)
            let ours = try OwnClient(server: server, load: load, streams: streams)
            // Not counted: the connection is opened, and memory gets warm.
            for kind in HTTP2Load.Kind.allCases {
                _ = try await ours.callers.rate(kind, requests: max(1, requests / 10), window: window)
            }
            var measured: [Round] = []
            for _ in 1...rounds { measured.append(try await round(peers, ours)) }
            let memory = try await ours.memory(inFlight: flight, requests: min(requests, 100_000))
            await ours.client.close()
            return try report(measured, memory)
        }
    }

    private struct Round {
        let bare: Report.Round
        let push: Report.Round
        let fourfold: Double
        let libcurl: (rate: Double, failed: Int64)
    }

    private func round(_ peers: PeerClients, _ ours: OwnClient) async throws -> Round {
        Round(
            bare: try await pair(.bare, peers, ours), push: try await pair(.push, peers, ours),
            fourfold: try await peers.h2load(.bare, connections: 4, requests: requests),
            libcurl: try await peers.libcurl(requests: max(1, requests / 10)))
    }

    private func pair(_ kind: HTTP2Load.Kind, _ peers: PeerClients, _ ours: OwnClient) async throws -> Report.Round {
        let baseline = try await peers.h2load(kind, connections: 1, requests: requests)
        let value = try await ours.callers.rate(kind, requests: requests, window: window)
        return Report.Round(value: value, baseline: baseline)
    }

    private func report(_ rounds: [Round], _ memory: OwnClient.Memory) throws -> Report {
        // The best of each: a machine's noise only ever takes away.
        let reserve = (rounds.map(\.fourfold).max() ?? 0) / (rounds.map(\.bare.baseline).max() ?? 1)
        guard reserve >= leastReserve else {
            throw Unusable(
                "four connections are served \(Report.text(reserve)) times as fast as one: the server is the limit")
        }
        var report = Report(
            "http2", compares: "awaited requests a second, a path and an apns-id ÷ h2load -c 1 -m \(window) -i paths",
            unit: "requests/s", goal: .atLeast(0.5), rounds: rounds.map(\.bare))
        let push = Report(
            "http2 push", compares: "awaited whole pushes a second ÷ h2load with the same header fields and body",
            unit: "requests/s", goal: .atLeast(0.5), rounds: rounds.map(\.push))
        report.also = [push]
        let libcurl = Statistics.median(rounds.map(\.libcurl.rate))
        report.details = [
            Report.Fact("serverReserve", .decimal(Report.text(reserve))),
            Report.Fact("libcurlMulti", .decimal(Report.text(libcurl))),
            Report.Fact("libcurlFailed", .integer(rounds.reduce(0) { $0 + $1.libcurl.failed })),
            Report.Fact("timesLibcurl", .decimal(Report.text(push.value / libcurl))),
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
