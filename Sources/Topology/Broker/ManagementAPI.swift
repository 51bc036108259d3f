import Daemon
import FoundationEssentials
public import HTTPClient

/// The broker's management API: JSON calls that end well or in one line that says what to do.
///
/// The address has user and password in it (`http://user:password@host:15672`) and is never printed.
public struct ManagementAPI: Sendable {
    private let base: String
    private let client: Client

    public init(url: String, client: Client) {
        base = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.client = client
    }

    /// Nil if there is no such object.
    func get<Value: Decodable>(_ path: [String], as type: Value.Type) async throws(CommandFailure) -> Value? {
        let response = try await send("GET", path, body: [])
        if response.status == 404 { return nil }
        try check(response, "GET", path)
        do {
            return try JSONDecoder().decode(type, from: Data(response.body))
        } catch {
            throw CommandFailure(
                .protocolError,
                "the management API answered something else than expected at \(Self.join(path)): is it RabbitMQ 3.10 or later?"
            )
        }
    }

    func put(_ path: [String], _ body: some Encodable) async throws(CommandFailure) {
        try check(try await send("PUT", path, body: try Self.encode(body)), "PUT", path)
    }

    func post(_ path: [String], _ body: some Encodable) async throws(CommandFailure) {
        try check(try await send("POST", path, body: try Self.encode(body)), "POST", path)
    }

    /// An object that is not there counts as deleted.
    func delete(_ path: [String]) async throws(CommandFailure) {
        let response = try await send("DELETE", path, body: [])
        if response.status != 404 { try check(response, "DELETE", path) }
    }

    private func send(_ method: String, _ path: [String], body: [UInt8]) async throws(CommandFailure) -> Response {
        let request = Request(
            method, base + Self.join(path), headers: [Header("content-type", "application/json")], body: body,
            timeout: .seconds(30))
        do {
            return try await client.send(request)
        } catch {
            throw CommandFailure(
                .unavailable,
                "cannot reach the management API: \(error); check MOBILE_DELIVERY_MANAGEMENT_URL and that the plugin is enabled"
            )
        }
    }

    private func check(_ response: Response, _ method: String, _ path: [String]) throws(CommandFailure) {
        switch response.status {
        case 200..<300: return
        case 401, 403:
            throw CommandFailure(
                .noPermission,
                "the broker refused \(method) \(Self.join(path)): MOBILE_DELIVERY_MANAGEMENT_URL needs an administrator"
            )
        default:
            throw CommandFailure(
                .protocolError,
                "the broker answered \(method) \(Self.join(path)) with \(response.status): \(response.text.prefix(300))"
            )
        }
    }

    private static func encode(_ body: some Encodable) throws(CommandFailure) -> [UInt8] {
        do {
            return Array(try JSONEncoder().encode(body))
        } catch {
            throw CommandFailure(.software, "cannot encode a request to the management API: \(error)")
        }
    }

    private static func join(_ path: [String]) -> String {
        "/api/" + path.map(percentEncoded).joined(separator: "/")
    }

    /// Everything but unreserved characters is encoded, the slash of a virtual host's name included.
    private static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            if scalar.properties.isAlphabetic && byte < 128 || (0x30...0x39).contains(byte)
                || "-._~".unicodeScalars.contains(scalar)
            {
                encoded.unicodeScalars.append(scalar)
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (hex.count == 1 ? "0" : "") + hex
            }
        }
        return encoded
    }
}
