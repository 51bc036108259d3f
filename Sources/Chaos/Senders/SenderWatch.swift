import LocalStack

/// Looks at the senders' memory and takes the providers' journal while a campaign runs.
actor SenderWatch {
    private let stage: ChaosStage
    private let reader: HistoryReader
    private var samples: [String: [Int]] = [:]

    init(_ stage: ChaosStage, _ reader: HistoryReader) {
        self.stage = stage
        self.reader = reader
    }

    /// Until its task is cancelled.
    func run() async throws {
        while true {
            for process in await stage.stack.processes where process.name.hasSuffix("-sender") {
                guard let size = process.child.identity.residentMemory else { continue }
                samples["\(process.name) \(process.child.identity.id)", default: []].append(size)
            }
            try await reader.requests.collect()
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    var memories: [CampaignHistory.Memory] {
        samples.sorted { $0.key < $1.key }.map { CampaignHistory.Memory(process: $0.key, samples: $0.value) }
    }
}
