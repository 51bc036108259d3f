public import Daemon
import FoundationEssentials
import Glibc

/// What `up` leaves in a file for `down`: enough to stop a stack that other processes started.
public struct StackState: Codable, Equatable, Sendable {
    public let folder: PrivateFolder
    /// Absent while they start.
    public var servers: Servers?
    public var services: [ProcessIdentity] = []
    public var keepsData: Bool

    public init(folder: PrivateFolder, servers: Servers? = nil, keepsData: Bool = false) {
        self.folder = folder
        self.servers = servers
        self.keepsData = keepsData
    }

    public static func read(_ path: String) throws(CommandFailure) -> StackState {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.noInput, "cannot read \(path): name the file that `up --state` wrote")
        }
        do {
            return try JSONDecoder().decode(StackState.self, from: bytes)
        } catch {
            throw CommandFailure(.dataError, "\(path) is not a file that `up --state` wrote")
        }
    }

    /// Replaces the file in one step. It holds passwords, so it is for its owner alone.
    public func write(_ path: String) throws(CommandFailure) {
        do {
            let new = "\(path).new"
            _ = FileManager.default.createFile(
                atPath: new, contents: try JSONEncoder().encode(self), attributes: [.posixPermissions: 0o600])
            guard rename(new, path) == 0 else { throw CommandFailure(.cannotCreate, "") }
        } catch {
            throw CommandFailure(.cannotCreate, "cannot write the state file \(path): name a writable place")
        }
    }

    /// Stops everything of the stack; safe to call for one that is half started or gone.
    public func stop() async throws(CommandFailure) {
        for service in services { service.signal(15, group: true) }
        for service in services {
            if await !service.waitForEnd(within: .seconds(20)) { service.signal(9, group: true) }
            service.collect()
        }
        if let servers {
            try await servers.stop(keepingData: keepsData)
        } else {
            await Leftovers.end(of: folder.path)
            if !keepsData { folder.remove() }
        }
    }

    /// Ends every process of the stacks whose folders are under `parent`, and removes those folders.
    public static func sweep(under parent: String) async {
        await Leftovers.end(under: parent)
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for entry in entries where entry.hasPrefix(PrivateFolder.prefix) {
            try? FileManager.default.removeItem(atPath: "\(parent)/\(entry)")
        }
    }
}
