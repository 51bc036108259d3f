import LocalStack

extension FaultTimeline {
    /// Kills and replaces processes of the stack at the times of the plan; `note` hears of each as it happens.
    func run(on stack: Stack, epoch: Int64, note: (String) async -> Void) async throws {
        for strike in strikes {
            try await Self.sleep(until: epoch + Int64(strike.at * 1e6))
            guard let victim = await stack.processes.first(where: { $0.name == strike.service.rawValue }) else {
                continue
            }
            await stack.kill(victim)
            await note("\(strike.service) killed")
            try await Task.sleep(for: .seconds(pause))
            try await stack.start(strike.service)
            await note("\(strike.service) back")
        }
    }

    private static func sleep(until instant: Int64) async throws {
        let wait = instant - MachineClock.now
        if wait > 0 { try await Task.sleep(for: .microseconds(wait)) }
    }
}
