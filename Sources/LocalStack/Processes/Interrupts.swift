import Dispatch
import Glibc
import Synchronization

/// Ctrl-C and its relatives for a command that has to clean up: the first signal cancels the work, so that it stops what
/// it started in good order; each further one kills what carries the mark of the folder, so that stopping ends at once.
public final class Interrupts: Sendable {
    private struct State {
        var folder: String?
        var count = 0
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Runs `work` under it.
    public static func handled<Result: Sendable>(
        _ work: @escaping @Sendable (Interrupts) async throws -> Result
    ) async throws -> Result {
        let interrupts = Interrupts()
        let sources = await interrupts.register()
        defer { for source in sources { source.cancel() } }
        let task = Task { try await work(interrupts) }
        let wasEarly = interrupts.state.withLock { state in
            state.cancel = { task.cancel() }
            return state.count > 0
        }
        if wasEarly { task.cancel() }
        do {
            return try await task.value
        } catch {
            // Whatever failed because it was stopped did not fail by itself.
            throw task.isCancelled ? CancellationError() : error
        }
    }

    /// Names what a second signal kills.
    public func guarding(_ folder: PrivateFolder) {
        state.withLock { $0.folder = folder.path }
    }

    private func register() async -> [any DispatchSourceSignal] {
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable in self.signalReceived() }
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { @Sendable in continuation.resume() }
                source.activate()
            }
            sources.append(source)
        }
        return sources
    }

    private func signalReceived() {
        let (cancel, folder) = state.withLock { state in
            state.count += 1
            return (state.count == 1 ? state.cancel : nil, state.count > 1 ? state.folder : nil)
        }
        cancel?()
        if let folder {
            for process in Leftovers.of(folder) { process.signal(SIGKILL) }
        }
    }
}
