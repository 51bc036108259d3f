import LocalStack

/// In the middle third of a test no push reaches a phone, and then every owner opens the app at the same moment.
struct MassForeground {
    let providers: ProviderControl
    let phones: [Phones]
    let seconds: Double
    /// The script in force before and after.
    let script: String

    func run(epoch: Int64, note: (String) async -> Void) async throws {
        try await sleep(until: epoch + Int64(seconds / 3 * 1e6))
        try await providers.dropEveryHint()
        await note("pushes reach no phone")
        try await sleep(until: epoch + Int64(seconds * 2 / 3 * 1e6))
        try await providers.follow(script: script)
        await note("mass foreground")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for each in phones { group.addTask { try await each.foregroundSync() } }
            try await group.waitForAll()
        }
    }

    private func sleep(until instant: Int64) async throws {
        let wait = instant - MachineClock.now
        if wait > 0 { try await Task.sleep(for: .microseconds(wait)) }
    }
}
