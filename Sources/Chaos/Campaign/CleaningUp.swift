/// Runs `work`, then `cleanUp` whether or not it threw.
func cleaningUp<Result>(
    _ cleanUp: () async -> Void, after work: () async throws -> Result
) async throws -> Result {
    do {
        let result = try await work()
        await cleanUp()
        return result
    } catch {
        await cleanUp()
        throw error
    }
}
