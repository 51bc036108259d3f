import HTTPServer
import Testing

@testable import Daemon

@Suite struct AdminServerTests {
    private func answer(_ target: String, method: String = "GET", readiness: Readiness = Readiness()) -> Response {
        let metrics = Metrics()
        metrics.counter("a_total", help: "Things.").add(2)
        return AdminServer.answer(
            Request(method: method, target: target), metrics: metrics, readiness: readiness)
    }

    @Test func `a process that runs is alive, ready or not`() {
        let readiness = Readiness()
        _ = readiness.condition("database", waitingFor: "PostgreSQL")
        #expect(answer("/livez", readiness: readiness).status == 200)
    }

    @Test func `it is ready once every condition holds and else says what it waits for`() {
        let readiness = Readiness()
        let database = readiness.condition("database", waitingFor: "PostgreSQL")
        let broker = readiness.condition("broker", waitingFor: "RabbitMQ")
        database.ready()
        let waiting = answer("/readyz", readiness: readiness)
        #expect(waiting.status == 503 && String(decoding: waiting.body, as: UTF8.self) == "broker: RabbitMQ\n")
        broker.ready()
        #expect(answer("/readyz", readiness: readiness).status == 200)
        database.notReady("connection lost")
        #expect(answer("/readyz", readiness: readiness).status == 503)
    }

    @Test func `metrics come as Prometheus text`() {
        let metrics = answer("/metrics")
        #expect(metrics.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        #expect(String(decoding: metrics.body, as: UTF8.self).contains("a_total 2\n"))
    }

    @Test func `nothing can be changed here`() {
        #expect(answer("/livez", method: "POST").status == 405)
        #expect(answer("/else").status == 404)
    }
}
