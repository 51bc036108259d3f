public import DeviceKit
public import HTTPClient

/// Carries a phone's requests to the gateway; many phones share one client.
public struct HTTPTransport: Transport {
    public let authority: String
    private let base: String
    private let client: Client

    /// `nil` unless the URL is http or https with a host and without a path.
    public init?(gateway: String, client: Client) {
        guard let scheme = ["https://", "http://"].first(where: { gateway.lowercased().hasPrefix($0) }) else {
            return nil
        }
        var rest = gateway.dropFirst(scheme.count).lowercased()
        if rest.hasSuffix("/") { rest.removeLast() }
        guard !rest.isEmpty, !rest.contains(where: { "/?#@ ".contains($0) }) else { return nil }
        base = scheme + rest
        let ownPort = scheme == "https://" ? ":443" : ":80"
        authority = rest.hasSuffix(ownPort) ? String(rest.dropLast(ownPort.count)) : rest
        self.client = client
    }

    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let answer: Response
        do {
            answer = try await client.send(
                Request(
                    request.method, base + request.target,
                    headers: request.fields.map { Header($0.name, $0.value) }, body: request.body ?? []))
        } catch {
            switch error.kind {
            // Nothing left this phone.
            case .unreachable, .unresolvable: throw .offline
            case .cancelled, .closed: throw .stopped
            case .invalidRequest, .timedOut, .untrusted, .bodyTooLarge, .broken: throw .failed(error.detail)
            }
        }
        var fields: [String: String] = [:]
        for header in answer.headers { fields[header.name.lowercased()] = header.value }
        return TransportResponse(status: answer.status, fields: fields, body: answer.body)
    }
}
