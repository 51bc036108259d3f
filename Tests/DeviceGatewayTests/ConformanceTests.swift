import Daemon
import LocalStack
import Messages
import Postgres
import TestSupport
import Testing

@testable import DeviceGateway

/// Both OpenAPI documents against a running gateway, judged by schemathesis.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ConformanceTests {
    /// What became of one operation's requests: how often each status was answered, and how the same was answered to
    /// somebody without a signature or credential and to somebody with a wrong one.
    private struct Answers {
        var statuses: [Int: Int] = [:]
        var unbelieved: [String: Int] = [:]

        /// What is answered before anybody's credentials are looked at does not count.
        var passedAuthentication: Bool { statuses.keys.contains { ![401, 403, 404, 405].contains($0) } }
        var succeeded: Bool { statuses.keys.contains { (200...299).contains($0) } }
    }

    @Test func `schemathesis finds nothing, and every operation was answered 2xx`() async throws {
        try await withWorld { world in
            try await withScratchVirtualHost { host in
                try await withService(database: world.gateway.settings, broker: host.amqpURL) {
                    // All requests are one phone's.
                    $0.deviceRate = 100_000
                    $0.enrolmentRate = 0
                    $0.deviceBurst = 1_000_000
                } _: { gateway in
                    #expect(try await eventually { gateway.context.readiness.isReady })
                    let run = try await perform(at: gateway.url)
                    #expect(run.status == 0, "\(run.output)")
                    for name in DeviceCall.names + ProducerCall.names {
                        let answers = run.answers[name] ?? Answers()
                        #expect(answers.passedAuthentication, "\(name): \(answers.statuses)")
                        #expect(answers.succeeded, "\(name): \(answers.statuses)")
                        #expect(answers.unbelieved == ["unbelieved 401": 2], "\(name)")
                    }
                }
            }
        }
    }

    private func perform(at url: String) async throws -> (status: Int, output: String, answers: [String: Answers]) {
        let orders = ScratchFile(
            """
            {"url": "\(url)", "credential": "\(Desk.secret)", "author": "author-1", "examples": 25, "seed": 20261201,
             "documents": {"device": "\(Repository.root)/docs/device-api.openapi.json",
                           "producer": "\(Repository.root)/docs/producer-api.openapi.json"}}
            """)
        let output = ScratchFile("")
        let script = "\(Repository.root)/Tests/Interoperation/api_conformance.py"
        let child = try ChildProcess(
            "schemathesis",
            ProcessCommand(
                "/bin/sh",
                [
                    "-c",
                    "python=$(\(Repository.root)/scripts/python-environment) && exec $python -B \(script) <\(orders.path)",
                ], environment: ["PATH": "/usr/bin:/bin"]),
            logPath: output.path)
        let ended = await child.end(after: .seconds(240))
        var answers: [String: Answers] = [:]
        for line in child.log.split(separator: "\n") where line.hasPrefix("{\"operation\"") {
            let value = try JSONValue(parsing: Array(line.utf8))
            for (status, count) in value["statuses"]?.object ?? [:] {
                let name = value["operation"]?.string ?? ""
                let count = Int(count.integer ?? 0)
                if let status = Int(status) {
                    answers[name, default: Answers()].statuses[status] = count
                } else {
                    answers[name, default: Answers()].unbelieved[status] = count
                }
            }
        }
        let status = if case .exited(let status) = ended { Int(status) } else { -1 }
        return (status, child.log, answers)
    }
}
