import LocalStack

/// What each part of a stack uses of the processors between two moments.
struct ProcessorMeter {
    /// Name of the part, and its processes when it was last looked at.
    private let parts: @Sendable () async -> [(name: String, processes: [ProcessIdentity])]
    private var last: [String: [ProcessIdentity: Duration]] = [:]

    init(_ stack: Stack) {
        let servers = stack.site.servers
        parts = {
            await stack.processes.map { ($0.name, [$0.child.identity]) }
                + [("postgres", servers.postgresProcesses), ("rabbitmq", servers.rabbitmqProcesses)]
        }
    }

    mutating func start() async { last = await times() }

    /// Microseconds of every part since `start`, for each of `hints`, the largest first. What a process used that ended
    /// meanwhile is not in it.
    func microseconds(of hints: Int) async -> [(name: String, microseconds: Double)] {
        await times().map { name, times in
            let used = times.reduce(Duration.zero) { $0 + $1.value - (last[name]?[$1.key] ?? .zero) }
            return (name, used / .microseconds(1) / Double(hints))
        }.sorted { $0.microseconds > $1.microseconds }
    }

    private func times() async -> [String: [ProcessIdentity: Duration]] {
        var times: [String: [ProcessIdentity: Duration]] = [:]
        for (name, processes) in await parts() {
            for process in processes {
                if let time = process.processorTime { times[name, default: [:]][process] = time }
            }
        }
        return times
    }
}
