import Daemon

/// Asks `fact` again and again, at growing intervals up to 100 ms, until it holds; for facts that no descriptor announces.
/// Throws what `late` makes after `timeout`, and `CancellationError`.
func wait(
    within timeout: Duration, until fact: () async throws -> Bool, late: () -> CommandFailure
) async throws {
    let end = ContinuousClock.now + timeout
    var pause = Duration.milliseconds(5)
    while try await !fact() {
        guard .now < end else { throw late() }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(100))
    }
}
