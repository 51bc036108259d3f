/// What one load test did and found.
public struct LoadReport: Sendable {
    /// The time of arrivals is looked at in quarters: the last has to be like the second.
    static let partCount = 4
    /// How much more the last quarter may have.
    static let steadiness = 1.2

    let plan: LoadPlan
    let samples: [Sample]
    let conservation: Conservation
    var jobs = 0
    /// That outsiders were to see.
    var events = 0
    var hasDrained = false
    /// Of every process, if hints did not end.
    var lastWords: [String] = []
    var parts: [StageLatencies] = []
    var versions: [(name: String, value: String)] = []
    /// Rates that were tried before this one, and whether they met the objective.
    public var tries: [Try] = []
    /// What `--find-max` looked for.
    public var objective: Objective?

    public struct Try: Sendable {
        /// Jobs a second.
        public let rate: Double
        public let isMet: Bool
        /// Microseconds.
        let p99: Int64?

        public init(rate: Double, isMet: Bool, report: LoadReport) {
            self.rate = rate
            self.isMet = isMet
            p99 = report.latencies[.accept].quantile(0.99)
        }
    }

    init(plan: LoadPlan, samples: [Sample], conservation: Conservation) {
        self.plan = plan
        self.samples = samples
        self.conservation = conservation
    }

    /// Nothing lost, doubled beyond the bound or unexplained.
    public var isKept: Bool { conservation.isKept }

    /// Every hint came to its end within the patience.
    public var isDrained: Bool { hasDrained }

    /// How long that share of all needed from the intended arrival of their job to a stage; nil if none came there.
    public func milliseconds(to stage: Stage, _ share: Double) -> Double? {
        latencies[stage].quantile(share).map { Double($0) / 1000 }
    }

    var latencies: StageLatencies {
        parts.reduce(into: StageLatencies()) { $0.merge($1) }
    }

    /// Hints a second that providers accepted while jobs arrived.
    var acceptedRate: Double {
        let during = samples.filter { $0.at <= plan.seconds + 1 }
        guard let last = during.last, last.at > 0 else { return 0 }
        return Double(last.accepted) / last.at
    }

    /// Seconds from the last arrival to the end of the last hint.
    var drainSeconds: Double { max(0, (samples.last?.at ?? 0) - plan.seconds) }

    /// p99 to the acceptance in the last quarter ÷ in the second.
    var latencyGrowth: Double? {
        guard parts.count == Self.partCount, let second = parts[1][.accept].quantile(0.99), second > 0,
            let last = parts[3][.accept].quantile(0.99)
        else { return nil }
        return Double(last) / Double(second)
    }

    /// Largest resident memory in the last quarter ÷ in the second, of each process that was there in both.
    var memoryGrowth: [(process: String, growth: Double)] {
        let second = highestMemory(from: 0.25, to: 0.5)
        let last = highestMemory(from: 0.75, to: 1)
        return last.compactMap { name, size in
            second[name].flatMap { $0 > 0 ? (name, Double(size) / Double($0)) : nil }
        }.sorted { $0.process < $1.process }
    }

    private func highestMemory(from: Double, to: Double) -> [String: Int] {
        samples.filter { (plan.seconds * from...plan.seconds * to).contains($0.at) }
            .reduce(into: [:]) { $0.merge($1.memory) { max($0, $1) } }
    }

    /// Every process that was seen, in the order of its first look.
    var processes: [String] {
        var names: [String] = []
        for sample in samples {
            for name in sample.processors.keys.sorted() where !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// Microseconds of processor time for each hint that ended.
    func processorTime(of process: String) -> Double {
        guard conservation.committed > 0 else { return 0 }
        var seconds = 0.0
        var before = 0.0
        for sample in samples {
            seconds += (sample.processors[process] ?? 0) * (sample.at - before)
            before = sample.at
        }
        return seconds * 1e6 / Double(conservation.committed)
    }

    func highestMemory(of process: String) -> Int { samples.compactMap { $0.memory[process] }.max() ?? 0 }
}
