#if canImport(UIKit)
    public import DeviceKit
    public import UIKit

    /// Calls of the gateway over `URLSession`, one request each, with a time-out of its own.
    public struct SessionTransport: Transport {
        public let authority: String
        private let base: URL
        private let session: URLSession
        /// Seconds; below the time that a background push leaves.
        private static let timeout = 20.0

        /// `nil` unless the URL has a host. The session must not be a background one: its answers would come to another launch.
        public init?(gateway: URL, session: URLSession) {
            guard let host = gateway.host?.lowercased() else { return nil }
            let isOwnPort = gateway.port == nil || gateway.port == (gateway.scheme == "https" ? 443 : 80)
            authority = isOwnPort ? host : "\(host):\(gateway.port ?? 0)"
            base = gateway
            self.session = session
        }

        public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            guard let url = URL(string: request.target, relativeTo: base) else { throw .failed("no URL") }
            var call = URLRequest(
                url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: SessionTransport.timeout)
            call.httpMethod = request.method
            call.httpBody = request.body.map { Data($0) }
            for field in request.fields { call.setValue(field.value, forHTTPHeaderField: field.name) }
            let data: Data
            let answer: URLResponse
            do {
                (data, answer) = try await session.data(for: call)
            } catch {
                throw SessionTransport.reason(error)
            }
            guard let answer = answer as? HTTPURLResponse else { throw .failed("no HTTP answer") }
            var fields: [String: String] = [:]
            for (name, value) in answer.allHeaderFields {
                if let name = name as? String, let value = value as? String { fields[name.lowercased()] = value }
            }
            return TransportResponse(status: answer.statusCode, fields: fields, body: Array(data))
        }

        /// What never left the phone is no failed attempt.
        private static func reason(_ error: any Error) -> TransportError {
            guard let error = error as? URLError else {
                return error is CancellationError ? .stopped : .failed("\(error)")
            }
            switch error.code {
            case .cancelled: return .stopped
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .cannotFindHost,
                .cannotConnectToHost:
                return .offline
            default: return .failed("URLError \(error.code.rawValue)")
            }
        }
    }
#endif
