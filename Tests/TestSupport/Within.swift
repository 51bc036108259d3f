/// What `work` returned, or nil if it took longer. `work` is not waited for.
public func within<T: Sendable>(_ limit: Duration, _ work: @escaping @Sendable () async -> T) async -> T? {
    let (results, continuation) = AsyncStream<T?>.makeStream()
    Task { continuation.yield(await work()) }
    Task {
        try? await Task.sleep(for: limit)
        continuation.yield(nil)
    }
    for await first in results { return first }
    return nil
}
