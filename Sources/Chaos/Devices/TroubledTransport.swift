import DeviceKit
import Synchronization

/// Carries a phone's requests, and stands in the way of its submissions as told.
final class TroubledTransport: Transport {
    enum Trouble: Sendable {
        case none
        /// An upload takes so long.
        case slow(Duration)
        /// The phone dies with the upload on its lips, and is dead from then on.
        case deadly
        case dead
    }

    let authority: String
    private let line: any Transport
    private let trouble = Mutex(Trouble.none)
    private let partCount = Mutex(0)

    /// Parts of submissions that were sent.
    var parts: Int { partCount.withLock { $0 } }

    init(_ line: any Transport) {
        self.line = line
        authority = line.authority
    }

    func set(_ trouble: Trouble) { self.trouble.withLock { $0 = trouble } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let isUpload = request.method == "PUT" && request.path.contains("/fanout/")
        if isUpload, request.path.contains("/parts/") { partCount.withLock { $0 += 1 } }
        let current = trouble.withLock { trouble in
            if case .deadly = trouble, isUpload { trouble = .dead }
            return trouble
        }
        switch current {
        case .dead: throw .stopped
        case .slow(let duration) where isUpload:
            do { try await Task.sleep(for: duration) } catch { throw .stopped }
        case .none, .slow, .deadly: break
        }
        return try await line.send(request)
    }
}
