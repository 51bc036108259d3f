import Daemon
import FoundationEssentials
import HTTP2
import LocalStack

/// The server that all clients of `bench http2` meet: nghttp2 and OpenSSL in C, in a process of its own, with a fresh
/// certificate.
struct BareServer {
    let process: ChildProcess
    let port: UInt16
    /// Of the authority that issued the certificate.
    let authorityFile: String

    static func with<Result>(
        _ programs: Programs, in folder: PrivateFolder, streams: Int, _ body: (BareServer) async throws -> Result
    ) async throws -> Result {
        let server = try await start(programs, in: folder, streams: streams)
        do {
            let result = try await body(server)
            await server.process.end(within: .seconds(1))
            return result
        } catch {
            await server.process.end(within: .seconds(1))
            throw error
        }
    }

    private static func start(_ programs: Programs, in folder: PrivateFolder, streams: Int) async throws -> BareServer {
        let authority = try CertificateAuthority(name: "Mobile Delivery benchmark authority")
        let identity = try authority.issue()
        let files = (
            authority: "\(folder.path)/authority.pem", certificate: "\(folder.path)/certificate.pem",
            key: "\(folder.path)/key.pem"
        )
        try folder.write(authority.certificatePEM, to: files.authority)
        try folder.write(identity.certificatePEM, to: files.certificate)
        try folder.write(identity.privateKeyPEM, to: files.key)
        let log = "\(folder.path)/bare-http2-server.log"
        try? FileManager.default.removeItem(atPath: log)
        let process = try ChildProcess(
            "bare-http2-server",
            ProcessCommand(programs.bareHTTP2Server, [files.certificate, files.key, "\(streams)"]), logPath: log)
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end, process.identity.isRunning {
            let log = process.log
            if log.hasSuffix("\n"), let port = log.split(separator: "\n").first.flatMap({ UInt16($0) }) {
                return BareServer(process: process, port: port, authorityFile: files.authority)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        let line = process.lastLine
        await process.end(within: .seconds(1))
        throw Unusable("the bare server did not start: \(line)")
    }
}
