import Glibc
import LocalStack

/// What each process of a private stack uses of processors and memory.
struct ProcessWatch {
    private var labels: [ProcessIdentity: String] = [:]
    private var used: [String: Int] = [:]
    private var last: [ProcessIdentity: Duration] = [:]
    private var lastAt = ContinuousClock.now

    /// Shares of one processor since the last call, and KiB.
    mutating func look(_ families: [Family]) -> (processors: [String: Double], memory: [String: Int]) {
        let now = ContinuousClock.now
        let seconds = (now - lastAt) / .milliseconds(1) / 1e3
        lastAt = now
        var processors: [String: Double] = [:]
        var memory: [String: Int] = [:]
        var times: [ProcessIdentity: Duration] = [:]
        for (name, family) in families {
            guard let leader = family.first else { continue }
            let label = label(name, leader)
            let spent = family.reduce(Duration.zero) { sum, process in
                guard let time = process.processorTime else { return sum }
                times[process] = time
                return sum + (last[process].map { time - $0 } ?? .zero)
            }
            processors[label] = spent / .milliseconds(1) / 1e3 / max(0.001, seconds)
            memory[label] =
                family.count == 1 ? leader.residentMemory ?? 0 : ProcessIdentity.residentMemory(ofFamily: family)
        }
        last = times
        return (processors, memory)
    }

    /// A process by its name, with those that come from it.
    typealias Family = (name: String, processes: [ProcessIdentity])

    static func families(_ stack: Stack) async -> [Family] {
        var families: [Family] = await stack.processes.map {
            ($0.name.hasPrefix("phones of") ? "phones" : $0.name, [$0.child.identity])
        }
        families.append(("postgres", stack.site.servers.postgresProcesses))
        families.append(("rabbitmq", stack.site.servers.rabbitmqProcesses))
        if let own = ProcessIdentity(of: getpid()) { families.append(("load test", [own])) }
        return families
    }

    /// A later process of the same name is another line of the plot.
    private mutating func label(_ name: String, _ process: ProcessIdentity) -> String {
        if let label = labels[process] { return label }
        used[name, default: 0] += 1
        let label = used[name] == 1 ? name : "\(name) \(used[name] ?? 0)"
        labels[process] = label
        return label
    }
}
