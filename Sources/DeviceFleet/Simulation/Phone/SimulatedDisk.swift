import DeviceKit
public import DeviceStore
import Synchronization

/// A phone's storage: what programs see, and what a power cut leaves of it.
public final class SimulatedDisk: Sendable {
    private struct State {
        var image = MemoryImage()
        /// Only while something is not yet written through.
        var behind: MemoryImage?
        var isFull = false
    }

    private let state = Mutex(State())

    public init() {}

    /// What would be there after a power cut now.
    public var durable: MemoryImage { state.withLock { $0.behind ?? $0.image } }

    func setFull(_ flag: Bool) { state.withLock { $0.isFull = flag } }

    func read<Result>(_ body: (MemoryImage) throws(WorkStoreError) -> Result) throws(WorkStoreError) -> Result {
        let image = state.withLock { $0.image }
        return try body(image)
    }

    /// One transaction. `isLazy` returns before it is written through: planted, a real store never does.
    func write<Result: Sendable>(
        isLazy: Bool = false, _ body: (inout MemoryImage) throws(WorkStoreError) -> Result
    ) throws(WorkStoreError) -> Result {
        let outcome = state.withLock { state -> Swift.Result<Result, WorkStoreError> in
            guard !state.isFull else { return .failure(.full) }
            let before = state.image
            do throws(WorkStoreError) {
                let result = try body(&state.image)
                state.behind = isLazy ? state.behind ?? before : nil
                return .success(result)
            } catch {
                state.image = before
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Whatever was not written through is gone.
    func cutPower() {
        state.withLock { state in
            if let behind = state.behind { state.image = behind }
            state.behind = nil
        }
    }

    /// A new phone, or the app deleted with all it had.
    func wipe() {
        state.withLock {
            $0.image = MemoryImage()
            $0.behind = nil
        }
    }
}
