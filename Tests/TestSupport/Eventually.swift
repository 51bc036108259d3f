/// Asks until `fact` holds; returns whether it did within `timeout`. For what no test can be told of.
public func eventually(
    within timeout: Duration = .seconds(10), _ fact: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + timeout
    var pause = Duration.milliseconds(2)
    while true {
        if try await fact() { return true }
        guard .now < end else { return false }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(100))
    }
}
