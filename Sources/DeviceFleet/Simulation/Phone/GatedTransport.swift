import DeviceKit

/// The network of one process: gone with it, closed to work that was stopped, and nothing at all without a connection.
struct GatedTransport: Transport {
    let base: any Transport
    let process: AppProcess
    let isOnline: @Sendable () -> Bool
    /// Sees a request before it leaves.
    let sending: @Sendable (TransportRequest, RequestCause) -> Void
    let answered: @Sendable (TransportRequest, TransportResponse) -> Void

    var authority: String { base.authority }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard await process.pass(), !Task.isCancelled else { throw .stopped }
        guard isOnline() else { throw .offline }
        sending(request, RequestCause.current)
        let answer = try await base.send(request)
        guard await process.pass(), !Task.isCancelled else { throw .stopped }
        // The answer went to a phone that had lost its network by then.
        guard isOnline() else { throw .failed("connection lost") }
        answered(request, answer)
        return answer
    }
}
