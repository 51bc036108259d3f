import Glibc
import HTTP2
import LocalStack
import Synchronization

/// Our client on one connection to the bare server.
struct OwnClient {
    struct Memory {
        /// Most requests that were under way when somebody looked.
        let inFlight: Int
        /// Resident, in KiB: of the whole process, before and while they were.
        let before: Int
        let highest: Int
    }

    let client: Client
    let callers: HTTP2Callers
    let load: HTTP2Load

    init(server: BareServer, load: HTTP2Load, streams: Int) throws {
        var settings = ClientSettings()
        settings.trust = .file(server.authorityFile)
        settings.streamsPerConnection = streams
        self.load = load
        client = try Client(origin: Origin(host: "localhost", port: server.port), settings: settings)
        callers = HTTP2Callers(client, load)
    }

    /// Sends with that many under way, looking at the memory of this process meanwhile.
    func memory(inFlight: Int, requests: Int) async throws -> Memory {
        let before = ProcessIdentity.residentMemory(of: getpid()) ?? 0
        await callers.reset()
        async let rate = callers.rate(.push, requests: requests, window: inFlight)
        var most = 0
        var highest = before
        while await callers.answered < requests {
            most = max(most, client.gauges.streamsOpen.load(ordering: .relaxed))
            highest = max(highest, ProcessIdentity.residentMemory(of: getpid()) ?? 0)
            try await Task.sleep(for: .milliseconds(2))
        }
        _ = try await rate
        return Memory(inFlight: most, before: before, highest: highest)
    }
}
