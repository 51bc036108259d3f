import Delivery
import LocalStack
import Messages

/// `bench sender`: hints a second that a whole APNs sender process takes from RabbitMQ, opens, sends and reports, and the
/// processor time that it uses for one, beside `h2load` with the same pushes to the same server.
///
/// The provider is the bare HTTP/2 server of `bench http2`. Outcomes are taken in place of the recorder, so no database has
/// a part in it. Broker, sender, provider and the taker of outcomes share the machine; `h2load` has it with the provider.
public struct SenderBenchmark: Sendable {
    public var hints = 50_000
    public var rounds = 3
    /// Hints while memory is looked at; a quarter of them are sent before the provider stands still.
    public var flight = 8000

    /// In the design, for a sender with a thousand requests in flight.
    private static let memoryLimit = 64 * 1024
    /// Of the load generator, and of one connection of the provider.
    private static let window = 500
    private static let streams = 1000

    public init() {}

    public func run(on site: OutboxSite) async throws -> Report {
        let http = HTTP2Load(window: Self.window, paths: 10_000)
        let folder = site.stack.servers.folder
        return try await BareServer.with(site.stack.programs, in: folder, streams: Self.streams) { server in
            let peers = PeerClients(programs: site.stack.programs, folder: folder, server: server, load: http)
            let load = try SenderLoad(site.stack, route: OutboxSite.route, paths: http.paths)
            let run = try SenderRun(site, server)
            var measured: [Report.Round] = []
            var costs: [Double] = []
            for number in 1...rounds {
                let baseline = try await peers.h2load(.push, connections: 1, requests: hints * 4)
                try await load.publish(hints)
                let outcome = try await run.drain(hints, number: number)
                measured.append(Report.Round(value: outcome.rate, baseline: baseline))
                costs.append(outcome.processorMicroseconds)
            }
            try await load.publish(flight)
            let memory = try await run.memoryInFlight(flight, number: 0)
            return try await report(measured, costs, memory, site)
        }
    }

    private func report(
        _ rounds: [Report.Round], _ costs: [Double], _ memory: (inFlight: Int, kibibytes: Int), _ site: OutboxSite
    ) async throws -> Report {
        var report = Report(
            "sender", compares: "hints a second of a whole APNs sender ÷ h2load -c 1 with the same pushes",
            unit: "hints/s", rounds: rounds)
        report.also = [
            Report(
                "sender memory", compares: "resident KiB with \(memory.inFlight) hints in flight ÷ 64 MiB",
                unit: "KiB", goal: .atMost(1),
                rounds: [Report.Round(value: Double(memory.kibibytes), baseline: Double(Self.memoryLimit))])
        ]
        report.details = [
            Report.Fact("processorMicrosecondsOfAHint", .decimal(Report.text(Statistics.median(costs)))),
            Report.Fact("inFlight", .integer(Int64(memory.inFlight))),
            Report.Fact("memoryInFlightKiB", .integer(Int64(memory.kibibytes))),
        ]
        report.settings = [Report.Fact("hints", .integer(Int64(hints)))]
        report.versions = try await site.versions()
        return report
    }
}
