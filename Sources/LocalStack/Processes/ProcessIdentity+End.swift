import CLinux
import Dispatch
import Glibc
import Synchronization

extension ProcessIdentity {
    /// Returns once the process has ended; false if it still runs after `timeout`. Not cut short by cancellation,
    /// because cleaning up has to go on then.
    public func waitForEnd(within timeout: Duration) async -> Bool {
        let descriptor = clinux_open_process(id)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        guard isRunning else { return true }
        return await EndWatch(descriptor: descriptor, timeout: timeout).result()
    }
}

/// Waits for one process descriptor or a timer, whichever comes first.
private final class EndWatch: Sendable {
    private let descriptor: Int32
    private let timeout: Duration
    private let waiter = Mutex<CheckedContinuation<Bool, Never>?>(nil)

    init(descriptor: Int32, timeout: Duration) {
        self.descriptor = descriptor
        self.timeout = timeout
    }

    func result() async -> Bool {
        let queue = DispatchQueue(label: "process-end")
        let end = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let ended = await withCheckedContinuation { continuation in
            waiter.withLock { $0 = continuation }
            end.setEventHandler { @Sendable in self.resume(true) }
            timer.setEventHandler { @Sendable in self.resume(false) }
            timer.schedule(deadline: .now() + timeout.seconds)
            end.activate()
            timer.activate()
        }
        timer.cancel()
        // The descriptor may be closed only after the source has let go of it.
        await withCheckedContinuation { continuation in
            end.setCancelHandler { @Sendable in continuation.resume() }
            end.cancel()
        }
        return ended
    }

    private func resume(_ ended: Bool) {
        let continuation = waiter.withLock { slot in
            defer { slot = nil }
            return slot
        }
        continuation?.resume(returning: ended)
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
