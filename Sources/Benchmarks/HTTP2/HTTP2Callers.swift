import HTTP2

/// The tasks that send and wait, isolated to one actor as those of a sender's route are. It lives on the client's thread.
actor HTTP2Callers {
    private let client: Client
    nonisolated var unownedExecutor: UnownedSerialExecutor { client.unownedExecutor }
    private let load: HTTP2Load
    private var next = 0
    /// Since `rate` was called last, whatever the result.
    private(set) var answered = 0
    private var unanswered: [RequestResult] = []

    init(_ client: Client, _ load: HTTP2Load) {
        self.client = client
        self.load = load
    }

    /// Begins to count anew.
    func reset() { answered = 0 }

    /// Sends that many, `window` at once; returns how many were answered a second. Throws what came instead of an answer.
    func rate(_ kind: HTTP2Load.Kind, requests: Int, window: Int) async throws -> Double {
        next = 0
        answered = 0
        unanswered = []
        let begun = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            for _ in 0..<min(window, requests) {
                group.addTask(executorPreference: client.taskExecutor) { await self.send(kind, until: requests) }
            }
        }
        let took = ContinuousClock.now - begun
        if let first = unanswered.first {
            throw Unusable("\(unanswered.count) of \(requests) unanswered, one: \(first)")
        }
        return Double(requests) / (took / .seconds(1))
    }

    private func send(_ kind: HTTP2Load.Kind, until end: Int) async {
        while next < end {
            let number = next
            next += 1
            let result = await client.send(load.request(kind, number), deadline: .now + .seconds(15))
            answered += 1
            if case .answer(let response) = result, response.status == 200 { continue }
            unanswered.append(result)
        }
    }
}
