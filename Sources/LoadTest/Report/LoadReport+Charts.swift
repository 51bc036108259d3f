extension LoadReport {
    private var width: Double { max(plan.seconds, samples.last?.at ?? 0) }

    /// Without a last look so soon after the one before that it says nothing of a rate.
    private var looks: [Sample] {
        guard let last = samples.last, let before = samples.dropLast().last, last.at - before.at < 0.5 else {
            return samples
        }
        return samples.dropLast()
    }

    private var marks: [(x: Double, name: String)] {
        samples.flatMap { sample in sample.strikes.map { (sample.at, $0) } }
    }

    var charts: [Chart] {
        [
            throughput, backlog, latencyOverTime, queueDepth, providerRequests, processorUse,
            memoryUse("Memory of the services") { !Self.servers.contains($0) },
            memoryUse("Memory of the servers") { Self.servers.contains($0) },
        ].filter { !$0.series.isEmpty }
    }

    private var throughput: Chart {
        Chart(
            title: "Throughput", unit: "hints a second",
            series: [
                rate("intended", 9, \.intended), rate("committed", 0, \.committed), rate("accepted", 2, \.accepted),
                rate("ended", 3, \.ended),
            ], width: width, marks: marks)
    }

    private func rate(_ name: String, _ colour: Int, _ count: (Sample) -> Int) -> Chart.Series {
        let points = zip(looks, looks.dropFirst()).map { before, after in
            (after.at, max(0, Double(count(after) - count(before))) / max(0.001, after.at - before.at))
        }
        return Chart.Series(name: name, colour: colour, isDashed: name == "intended", points: points)
    }

    private var backlog: Chart {
        let stages = samples.first?.backlog.map(\.stage) ?? []
        return Chart(
            title: "Depth by stage", unit: "hints that wait for it",
            series: stages.enumerated().map { index, stage in
                Chart.Series(
                    name: stage, colour: index, points: looks.map { ($0.at, Double($0.backlog[index].hints)) })
            }, width: width, marks: marks)
    }

    private var latencyOverTime: Chart {
        let shown: [(name: String, fraction: Double, colour: Int)] = [
            ("p50", 0.5, 0), ("p99", 0.99, 1), ("max", 1, 4),
        ]
        return Chart(
            title: "Latency to the acceptance", unit: "ms, of the hints accepted in each second",
            series: shown.map { name, fraction, colour in
                Chart.Series(
                    name: name, colour: colour,
                    points: looks.compactMap { sample in
                        sample.recent.quantile(fraction).map { (sample.at, max(0.05, Double($0) / 1e3)) }
                    })
            }.filter { !$0.points.isEmpty }, width: width, isLogarithmic: true, marks: marks)
    }

    private var queueDepth: Chart {
        let names = Set(samples.flatMap(\.queues.keys)).sorted()
        return Chart(
            title: "Messages in queues", unit: "ready",
            series: names.enumerated().map { index, name in
                Chart.Series(
                    name: name, colour: index % Chart.colours,
                    points: looks.map { ($0.at, Double($0.queues[name] ?? 0)) })
            }, width: width, marks: marks)
    }

    private static let servers = ["postgres", "rabbitmq"]

    private var providerRequests: Chart {
        Chart(
            title: "Requests to providers", unit: "a second",
            series: [rate("all", 0, \.requests), rate("refused or cut", 4, \.refused)], width: width, marks: marks)
    }

    private var processorUse: Chart {
        byProcess("Processor", "% of one", { _ in true }) { $0.processors[$1].map { $0 * 100 } }
    }

    private func memoryUse(_ title: String, _ isMeant: @escaping (String) -> Bool) -> Chart {
        byProcess(title, "MiB resident", isMeant) { $0.memory[$1].map { Double($0) / 1024 } }
    }

    /// A process that took the place of another has its colour, dashed.
    private func byProcess(
        _ title: String, _ unit: String, _ isMeant: (String) -> Bool, _ value: (Sample, String) -> Double?
    ) -> Chart {
        var colours: [String: Int] = [:]
        let series = processes.compactMap { name -> Chart.Series? in
            let words = name.split(separator: " ")
            let isLater = words.count > 1 && Int(words[words.count - 1]) != nil
            let base = isLater ? words.dropLast().joined(separator: " ") : name
            let colour = colours[base] ?? colours.count % Chart.colours
            colours[base] = colour
            guard isMeant(base) else { return nil }
            return Chart.Series(
                name: name, colour: colour, isDashed: isLater,
                points: looks.compactMap { sample in value(sample, name).map { (sample.at, $0) } })
        }
        return Chart(title: title, unit: unit, series: series, width: width, marks: marks)
    }
}
