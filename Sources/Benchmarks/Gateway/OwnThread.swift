import Glibc

/// Runs what blocks on a thread of its own, so that the tasks of the process keep theirs.
enum OwnThread {
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let work = Work { continuation.resume(with: Result { try body() }) }
            var thread = pthread_t()
            let status = pthread_create(
                &thread, nil,
                { context in
                    if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
                    return nil
                }, Unmanaged.passRetained(work).toOpaque())
            precondition(status == 0, "no thread")
            pthread_detach(thread)
        }
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
