import HTTP2
import TestSupport
import Testing

/// Our client against other people's servers, each a private process on a loopback port.
@Suite(.timeLimit(.minutes(4)))
struct PeerServerTests {
    enum Peer: String, CaseIterable {
        case nghttpd
        case nginx
        case haproxy
    }

    @Test(arguments: Peer.allCases) func `every request is answered`(peer: Peer) async throws {
        try await with(peer) { client in
            let statuses = await statuses(of: 500, client)
            #expect(statuses == [200])
            #expect(await client.statistics().connections == 1)
        }
    }

    @Test func `nginx says GOAWAY every thousand requests, and none is lost (fault 16)`() async throws {
        try await with(.nginx) { client in
            let statuses = await statuses(of: 3500, client)
            #expect(statuses == [200])
            #expect(await client.statistics().goAways.values.reduce(0, +) >= 3)
        }
    }

    @Test(arguments: [Peer.nginx, .haproxy]) func `an answer of theirs is read whole`(peer: Peer) async throws {
        try await with(peer) { client in
            let result = await client.send(Request(path: "/refuse"), deadline: .now + .seconds(45))
            guard case .answer(let response) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(response.status == 403)
            #expect(response.headers["retry-after"] == "7")
            #expect(String(decoding: response.body, as: UTF8.self) == #"{"reason":"Forbidden"}"#)
        }
    }

    /// What provably was not processed is sent again, as a sender would.
    private func statuses(of count: Int, _ client: Client) async -> Set<Int?> {
        await withTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    let request = Request(path: "/\(number % 10)", body: Array("hello".utf8))
                    var result = await client.send(request, deadline: .now + .seconds(45))
                    while case .unprocessed(let why) = result, why != .deadline {
                        result = await client.send(request, deadline: .now + .seconds(45))
                    }
                    if result.status == nil { Issue.record("\(result)") }
                    return result.status
                }
            }
            return await group.reduce(into: []) { $0.insert($1) }
        }
    }

    private func with(_ peer: Peer, _ body: (Client) async throws -> Void) async throws {
        let identity = try Pair.identity()
        // A port that was free a moment ago.
        let reserved = try await Server.start(ServerSettings(identity: identity)) { _ in .never }
        let port = reserved.port
        await reserved.stop()
        let key = ScratchFile(identity.privateKeyPEM)
        let certificate = ScratchFile(identity.certificatePEM)
        let both = ScratchFile(identity.certificatePEM + identity.privateKeyPEM)
        let folder = key.path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        let settings = ScratchFile(
            peer == .nginx
                ? Self.nginx(port, certificate.path, key.path, folder) : Self.haproxy(port, both.path))
        let words =
            switch peer {
            case .nghttpd: ["nghttpd", "--echo-upload", "-a", "127.0.0.1", "\(port)", key.path, certificate.path]
            case .nginx: ["nginx", "-p", folder, "-e", "stderr", "-c", settings.path]
            case .haproxy: ["haproxy", "-db", "-q", "-f", settings.path]
            }
        let program = try ChildProgram(words)
        defer { program.end() }
        let client = try Pair.client(port: port)
        // Until it listens.
        var first = await client.send(Request(path: "/"), deadline: .now + .seconds(45))
        while case .unprocessed(.unreachable) = first {
            first = await client.send(Request(path: "/"), deadline: .now + .seconds(45))
        }
        try await body(client)
        await client.close()
    }

    private static func nginx(_ port: UInt16, _ certificate: String, _ key: String, _ folder: String) -> String {
        """
        daemon off; master_process off; pid \(folder)/nginx-\(port).pid;
        events { worker_connections 64; }
        http {
            access_log off; client_body_temp_path \(folder)/nginx-body; proxy_temp_path \(folder)/nginx-proxy;
            fastcgi_temp_path \(folder)/nginx-fastcgi; uwsgi_temp_path \(folder)/nginx-uwsgi;
            scgi_temp_path \(folder)/nginx-scgi;
            server {
                listen 127.0.0.1:\(port) ssl http2; ssl_certificate \(certificate); ssl_certificate_key \(key);
                keepalive_requests 1000; default_type application/json;
                location / { return 200 "{}"; }
                location /refuse { add_header retry-after 7 always; return 403 '{"reason":"Forbidden"}'; }
            }
        }
        """
    }

    private static func haproxy(_ port: UInt16, _ certificate: String) -> String {
        """
        global
            maxconn 64
        defaults
            mode http
            timeout connect 5s
            timeout client 30s
            timeout server 30s
        frontend peer
            bind 127.0.0.1:\(port) ssl crt \(certificate) alpn h2
            http-request return status 403 content-type application/json hdr retry-after 7 string '{"reason":"Forbidden"}' if { path /refuse }
            http-request return status 200 content-type application/json string "{}"

        """
    }
}
