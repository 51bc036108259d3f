import FoundationEssentials
import Glibc
import Testing

@testable import LocalStack

@Suite(.timeLimit(.minutes(2))) struct ServersTests {
    @Test func `stopped servers leave no process, no port and no folder`() async throws {
        let servers = try await Servers.start(under: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
        let ports = servers.rabbitmq.ports
        let listening = [servers.postgres.port, ports.amqp, ports.management, ports.distribution, ports.portMapper]
        for port in listening { #expect(answers(port)) }
        #expect(!Leftovers.of(servers.folder.path).isEmpty)

        try await servers.stop()

        #expect(Leftovers.of(servers.folder.path) == [])
        for port in listening { #expect(!answers(port)) }
        #expect(access(servers.folder.path, F_OK) != 0)
    }

    @Test func `a cancelled start leaves nothing either`() async throws {
        let (folders, continuation) = AsyncStream<PrivateFolder>.makeStream()
        let start = Task {
            try await Servers.start(under: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp") {
                continuation.yield($0)
            }
        }
        let folder = try #require(await folders.first { _ in true })
        start.cancel()
        await #expect(throws: (any Error).self) { try await start.value }
        #expect(Leftovers.of(folder.path) == [])
        #expect(access(folder.path, F_OK) != 0)
    }

    /// Whether somebody listens; a closed connection that still lingers on the port does not count.
    private func answers(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
