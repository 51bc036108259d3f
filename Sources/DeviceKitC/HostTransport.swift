import CDeviceKit
import DeviceKit
import Synchronization

/// Sends by the host's function.
struct HostTransport: Transport {
    /// The host promises that both work from any thread for as long as the device lives.
    struct Functions: @unchecked Sendable {
        let context: UnsafeMutableRawPointer?
        let send: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<DeviceKitRequest>?) -> Void
    }

    /// How long the host may take for one exchange.
    static let timeout = Duration.seconds(60)

    let authority: String
    let functions: Functions

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let exchange = Exchange()
        let clock = Task {
            try await Task.sleep(for: HostTransport.timeout)
            exchange.end(.failure(.failed("the host gave no answer within \(HostTransport.timeout)")))
        }
        begin(exchange, request)
        let result = await exchange.result()
        clock.cancel()
        return try result.get()
    }

    private func begin(_ exchange: Exchange, _ request: TransportRequest) {
        let fields = request.fields.map { "\($0.name): \($0.value)\n" }.joined()
        // Given back by the one call that ends the exchange.
        let handle = OpaquePointer(Unmanaged.passRetained(exchange).toOpaque())
        request.method.withCString { method in
            request.target.withCString { target in
                fields.withCString { fields in
                    (request.body ?? []).withUnsafeBufferPointer { body in
                        var call = DeviceKitRequest(
                            method: method, target: target, fields: fields,
                            body: request.body == nil ? nil : body.baseAddress, bodyLength: body.count)
                        functions.send(functions.context, handle, &call)
                    }
                }
            }
        }
    }
}

/// One HTTP exchange that the host has under way. Ends once; what comes later is ignored.
final class Exchange: Sendable {
    private enum State {
        case running
        case waiting(CheckedContinuation<Result<TransportResponse, TransportError>, Never>)
        case ended(Result<TransportResponse, TransportError>)
    }

    private let state = Mutex(State.running)

    func end(_ result: Result<TransportResponse, TransportError>) {
        let continuation = state.withLock {
            state -> CheckedContinuation<Result<TransportResponse, TransportError>, Never>? in
            switch state {
            case .ended: return nil
            case .running:
                state = .ended(result)
                return nil
            case .waiting(let continuation):
                state = .ended(result)
                return continuation
            }
        }
        continuation?.resume(returning: result)
    }

    /// To be asked for once.
    func result() async -> Result<TransportResponse, TransportError> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state -> Result<TransportResponse, TransportError>? in
                if case .ended(let result) = state { return result }
                state = .waiting(continuation)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }
}
