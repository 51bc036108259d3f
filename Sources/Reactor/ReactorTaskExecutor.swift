/// For tasks that want to run on a reactor's thread, beside the actors that live there: between such a task and such an
/// actor there is no change of threads, and a continuation resumes the task where it is resumed.
///
/// Owns the thread: it stops when the last task or actor that holds this is gone.
public final class ReactorTaskExecutor: TaskExecutor {
    public let thread: ReactorThread

    public init(name: String) { thread = ReactorThread(name: name) }

    deinit { thread.stop() }

    public func enqueue(_ job: consuming ExecutorJob) { thread.enqueue(job, preferring: asUnownedTaskExecutor()) }
}
