import Cryptography
import HTTPServer
import LocalStack
import Messages

/// `bench gateway`: signed targeted fetches a second of a gateway process, beside what its three parts do alone in the same
/// run: a constant answer by the same HTTP server through the same suspended path (C), signature checks on every core (V),
/// and the fetch's query by `pgbench`, which is libpq in C (Q). One after the other for each request they would do
/// 1/(1/C + 1/V + 1/Q).
///
/// The load generator, the gateway and PostgreSQL share the machine; no TLS.
public struct GatewayBenchmark: Sendable {
    public var rounds = 3
    /// Of the measurement of each thing.
    public var time: Duration = .seconds(5)
    public var devices = 64
    public var connections = 50
    /// While answer times are looked at, at half of the rate that was measured.
    public var manyConnections = 1000

    public init() {}

    public func run(on site: OutboxSite) async throws -> Report {
        let gateway = try await GatewaySite.start(on: site, devices: devices)
        do {
            let report = try await measure(gateway)
            await gateway.stop()
            return report
        } catch {
            await gateway.stop()
            throw error
        }
    }

    private func measure(_ gateway: GatewaySite) async throws -> Report {
        // Not counted: keys, plans and pages get warm, and the constant answer has to be as long as a real one.
        let first = try await load(gateway, for: .seconds(1))
        let constant = try ConstantServer.start(body: first.body)
        do {
            let parts = GatewayParts(site: gateway, constant: constant, connections: connections, time: time)
            var measured: [Report.Round] = []
            var alone: [GatewayParts.Rates] = []
            for _ in 1...rounds {
                let rates = try await parts.measure()
                alone.append(rates)
                let fetches = try await load(gateway, for: time)
                measured.append(Report.Round(value: fetches.rate, baseline: rates.together))
            }
            let pace = Statistics.median(measured.map(\.value)) / 2
            let many = try await paced(gateway, at: pace)
            await constant.stop()
            return try await report(gateway, measured, alone, pace, many)
        } catch {
            await constant.stop()
            throw error
        }
    }

    private func load(_ gateway: GatewaySite, for time: Duration) async throws -> ConnectionLoad.Outcome {
        try await ConnectionLoad(
            port: gateway.port, connections: connections, requests: try gateway.requests(), time: time
        ).run()
    }

    private func paced(_ gateway: GatewaySite, at rate: Double) async throws -> ConnectionLoad.Outcome {
        var load = ConnectionLoad(
            port: gateway.port, connections: manyConnections, requests: try gateway.requests(), time: time)
        load.rate = rate
        return try await load.run()
    }

    private func report(
        _ gateway: GatewaySite, _ rounds: [Report.Round], _ alone: [GatewayParts.Rates], _ pace: Double,
        _ many: ConnectionLoad.Outcome
    ) async throws -> Report {
        var report = Report(
            "gateway", compares: "signed targeted fetches a second of a gateway ÷ 1/(1/C + 1/V + 1/Q)",
            unit: "fetches/s", goal: .atLeast(0.6), rounds: rounds)
        report.percentiles = Report.Percentiles(
            p50: Statistics.percentile(50, of: many.milliseconds), p99: Statistics.percentile(99, of: many.milliseconds)
        )
        func fact(_ name: String, _ rate: Double) -> Report.Fact { Report.Fact(name, .decimal(Report.text(rate))) }
        report.details = [
            fact("constantAnswers", Statistics.median(alone.map(\.constant))),
            fact("signatureChecks", Statistics.median(alone.map(\.checks))),
            fact("queries", Statistics.median(alone.map(\.queries))),
            Report.Fact("connectionsOfPercentiles", .integer(Int64(manyConnections))),
            fact("rateOfPercentiles", pace),
            fact("answeredOfPercentiles", many.rate),
        ]
        report.settings = [
            Report.Fact("connections", .integer(Int64(connections))), Report.Fact("devices", .integer(Int64(devices))),
            Report.Fact("seconds", .integer(time.components.seconds)),
        ]
        report.versions = try await gateway.site.versions()
        return report
    }
}
