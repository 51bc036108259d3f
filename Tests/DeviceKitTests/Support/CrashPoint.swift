import DeviceKit
import Synchronization

/// Counts the await boundaries of a device and ends the process at one of them: from then on nothing gets through.
final class CrashPoint: Sendable {
    private let passed = Mutex(0)
    private let limit: Int?

    /// `nil` never crashes.
    init(at limit: Int?) { self.limit = limit }

    func isCrashed() -> Bool {
        passed.withLock { count in
            count += 1
            return limit.map { count >= $0 } ?? false
        }
    }

    var count: Int { passed.withLock { $0 } }
    var hasCrashed: Bool { passed.withLock { count in limit.map { count >= $0 } ?? false } }
}

/// Passes everything on, unless the process is dead before or right after it.
struct CrashingTransport: Transport {
    let base: any Transport
    let point: CrashPoint
    /// Looks at what is about to be sent.
    var inspect: @Sendable (TransportRequest) async -> Void = { _ in }

    var authority: String { base.authority }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if point.isCrashed() { throw .stopped }
        await inspect(request)
        let answer = try await base.send(request)
        if point.isCrashed() { throw .stopped }
        return answer
    }
}
