import Daemon
import FoundationEssentials
import HTTP2
import LocalStack
import ProviderSimulator
import TokenSigning

/// Both servers with everything that the same requests need to be answered 200 by each.
struct SimulatorSite {
    private static let body =
        #"{"aps":{"alert":{"title-loc-key":"RECEIPT_TITLE","loc-key":"RECEIPT_BODY"},"content-available":1,"#
        + #""sound":"default","category":"RECEIPT"},"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":1,"#
        + #""jobId":"6f9619ff-8b86-4011-b42d-00c04fc964ff","documentType":"RECEIPT"}"#

    let folder: String
    let providers: SimulatedProviders
    let plain: ChildProcess
    let plainURL: String
    let paths: [String]
    let headers: [String]

    var simulatorURL: String { providers.addresses.apnsProduction }
    var bodyFile: String { "\(folder)/body.json" }
    var delivered: Int { providers.deliveryCount }

    static func start(in folder: String, phones: Int) async throws -> SimulatorSite {
        let provider = ProviderFolder(path: "\(folder)/providers")
        var configuration = try provider.prepare()
        // h2load opens all its streams at once instead of waiting for an accepted token.
        configuration.apnsFirstStreams = configuration.apnsStreams
        let tokens = (0..<phones).map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 64 - digits.count) + digits
        }
        configuration.devices = tokens.map {
            Device(token: $0, provider: "apns", app: provider.bundleID, environment: "production")
        }
        let paths = tokens.map { "/3/device/\($0)" }
        try write(body, to: "\(folder)/body.json")
        let files = "\(folder)/files"
        try FileManager.default.createDirectory(atPath: "\(files)/3/device", withIntermediateDirectories: true)
        for path in paths { try write("", to: files + path) }
        let headers = try headers(provider)
        let providers = try await SimulatedProviders.start(configuration)
        do {
            let (plain, url) = try await startPlain(folder, files)
            return SimulatorSite(
                folder: folder, providers: providers, plain: plain, plainURL: url, paths: paths, headers: headers)
        } catch {
            await providers.stop()
            throw error
        }
    }

    func stop() async {
        await plain.end(within: .seconds(1))
        await providers.stop()
    }

    private static func headers(_ folder: ProviderFolder) throws -> [String] {
        let key = try PrivateKey(
            pem: String(decoding: Data(contentsOf: URL(filePath: folder.apnsKeyFile)), as: UTF8.self))
        let now = Int(Date().timeIntervalSince1970)
        let token = try JSONWebToken.signed(
            ProviderTokenClaims(teamID: ProviderFolder.teamID, issuedAt: now), keyID: ProviderFolder.keyID, with: key)
        return [
            "authorization: bearer \(token)", "apns-topic: \(folder.bundleID)", "apns-push-type: alert",
            "apns-priority: 10", "apns-id: 6f9619ff-8b86-4011-b42d-00c04fc964ff",
            "apns-collapse-id: 6f9619ff-8b86-4011-b42d-00c04fc964ff", "apns-expiration: \(now + 86_400)",
        ]
    }

    private static func startPlain(_ folder: String, _ files: String) async throws -> (ChildProcess, String) {
        let program = "/usr/sbin/nghttpd"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw CommandFailure(
                .systemFile, "no nghttpd: install the Debian package nghttp2-server (scripts/test does)")
        }
        let identity = try CertificateAuthority().issue()
        try write(identity.certificatePEM, to: "\(folder)/plain-certificate.pem")
        try write(identity.privateKeyPEM, to: "\(folder)/plain-key.pem")
        let port = try FreePort.pick(1)[0]
        let child = try ChildProcess(
            "nghttpd",
            ProcessCommand(
                program,
                [
                    "-a", "127.0.0.1", "-d", files, "\(port)", "\(folder)/plain-key.pem",
                    "\(folder)/plain-certificate.pem",
                ]),
            logPath: "\(folder)/nghttpd.log")
        for _ in 0..<100 {
            if !FreePort.isFree(port) { return (child, "https://localhost:\(port)") }
            if await child.ended(within: .milliseconds(50)) != nil { break }
        }
        await child.end(within: .seconds(1))
        throw Unusable("nghttpd does not listen: \(child.lastLine)")
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }
}
