import Dispatch
import Glibc
import Synchronization

/// SIGTERM and SIGINT: the first requests the stop, the second ends the process at once.
final class TerminationSignals: Sendable {
    private struct Sources: @unchecked Sendable { var sources: [any DispatchSourceSignal] = [] }
    private let sources = Mutex(Sources())
    private let received = Atomic<Int>(0)

    /// Returns once both are registered: a signal that comes later is not lost.
    static func register(_ shutdown: Shutdown) async -> TerminationSignals {
        // A broken pipe is an error of a write, not the end of the process.
        Glibc.signal(SIGPIPE, SIG_IGN)
        let signals = TerminationSignals()
        for number in [SIGTERM, SIGINT] { await signals.register(number, shutdown) }
        return signals
    }

    private func register(_ number: Int32, _ shutdown: Shutdown) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable [self] in
                guard received.add(1, ordering: .relaxed).newValue == 1 else { _exit(128 + number) }
                Log.info("stop requested", [.signal: .integer(Int64(number))])
                shutdown.request()
            }
            source.setRegistrationHandler { @Sendable in continuation.resume() }
            sources.withLock { $0.sources.append(source) }
            source.resume()
        }
    }

    func cancel() {
        for source in sources.withLock({ $0.sources }) { source.cancel() }
    }
}
