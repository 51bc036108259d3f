import Cryptography
import Delivery
import Messages

/// Signed calls of the device API (K5). Corrects the phone's wrong clock once a call, from what the gateway says the time is.
actor GatewayClient {
    let device: Identifier
    private let transport: any Transport
    let keys: any KeyStore
    private let clock: any DeviceClock
    /// Milliseconds that the gateway's clock is ahead.
    private var clockOffset: Int64 = 0

    init(device: Identifier, transport: any Transport, keys: any KeyStore, clock: any DeviceClock) {
        self.device = device
        self.transport = transport
        self.keys = keys
        self.clock = clock
    }

    /// Returns answers of 2xx and 304; everything else is a failure.
    func call(
        _ method: String, _ path: String, query: String = "", fields: [TransportRequest.Field] = [],
        body: [UInt8]? = nil
    ) async throws(CallFailure) -> TransportResponse {
        let request = TransportRequest(method: method, path: path, query: query, fields: fields, body: body)
        do {
            return try await attempt(request)
        } catch .refused(401, .clockSkew, _) where corrected {
            corrected = false
            return try await attempt(request)
        }
    }

    /// Set by an answer that told the time; the next attempt signs with it.
    private var corrected = false

    private func attempt(_ request: TransportRequest) async throws(CallFailure) -> TransportResponse {
        let signed = try await sign(request)
        let response: TransportResponse
        do {
            response = try await transport.send(signed)
        } catch {
            switch error {
            case .offline: throw .offline
            case .failed(let reason): throw .unreachable(reason)
            case .stopped: throw .stopped
            }
        }
        if (200..<300).contains(response.status) || response.status == 304 { return response }
        let problem = try? DeviceAPIProblem(decoding: response.body)
        if problem?.kind == .clockSkew, let serverTime = problem?.serverTime {
            clockOffset = serverTime - clock.wall()
            corrected = true
        }
        throw .refused(
            status: response.status, kind: problem?.kind,
            retryAfter: response.fields["retry-after"].flatMap(Int64.init).map { min(max($0, 0), 86_400) * 1000 })
    }

    private func sign(_ request: TransportRequest) async throws(CallFailure) -> TransportRequest {
        let content = request.body.map {
            SignedRequest.Content(digest: Digest.sha256($0), type: "application/json")
        }
        let signature = RequestSignature(
            keyID: device, created: (clock.wall() + clockOffset) / 1000, coversContent: content != nil)
        let subject = SignedRequest(
            method: request.method, authority: transport.authority, path: request.path, query: request.query,
            content: content)
        guard let base = signature.base(of: subject) else { throw .malformed("request") }
        var signed = request
        do {
            let bytes = try await keys.requestSigner().sign(base)
            signed.fields += [
                TransportRequest.Field("Signature-Input", signature.input),
                TransportRequest.Field("Signature", RequestSignature.header(bytes)),
            ]
        } catch {
            switch error {
            case .locked: throw .locked
            case .failed(let reason): throw .unreachable(reason)
            case .stopped: throw .stopped
            }
        }
        if let content {
            signed.fields += [
                TransportRequest.Field("Content-Digest", RequestSignature.contentDigest(content.digest)),
                TransportRequest.Field("Content-Type", content.type),
            ]
        }
        return signed
    }
}
