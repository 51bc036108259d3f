import Daemon
import HTTPServer

/// Every request comes in here: recognised, answered, counted.
struct Front: Sendable {
    let device: DeviceAPI
    let producer: ProducerAPI
    let metrics: GatewayMetrics

    func answer(_ request: Request) async -> Response {
        let began = ContinuousClock.now
        var name = "unknown"
        let response: Response
        do throws(Problem) {
            let call = try Call(method: request.method, path: request.path)
            name = call.name
            response = try await answer(call, request)
        } catch {
            metrics.refused(error.kind.name)
            response = error.response
        }
        metrics.answered(name, status: response.status, within: began.duration(to: .now))
        return response
    }

    private func answer(_ call: Call, _ request: Request) async throws(Problem) -> Response {
        switch call {
        case .device(let call): try await device.answer(call, request)
        case .producer(let call): try await producer.answer(call, request)
        }
    }
}
