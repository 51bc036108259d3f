import Cryptography
import Delivery
import DeviceKit
import DeviceStore
import Messages
import Synchronization

/// Damaged hints against a device: none may crash it, and none that is not valid may lead to a request.
public struct MutatedHints: Sendable {
    public struct Report: Equatable, Sendable {
        public var hints = 0
        /// Still valid after what was done to them: one targeted fetch each, answered 404.
        public var usable = 0
        public var unknown = 0
        public var violations: [String] = []
    }

    public var seed: UInt64
    public var count: Int

    public init(seed: UInt64, count: Int) {
        self.seed = seed
        self.count = count
    }

    public func run() async throws -> Report {
        var random = SplitMix64(seed: seed)
        let gateway = CountingGateway(seed: random.next())
        let store = MemoryStore()
        let device = try await Device(
            platform: .ios, settings: DeviceSettings(authors: [:]),
            hosts: DeviceHosts(
                transport: gateway, store: store, keys: StoredKeys(store: store), clock: SystemClock()))
        _ = try await device.enrol(ticket: "ticket")
        var report = Report()
        while report.hints < count {
            report.hints += 1
            let payload = mutated(&random)
            let before = gateway.requests
            let end = try await device.receive(payload)
            let requests = gateway.requests - before
            switch HintVerdict(payload: payload) {
            case .work:
                report.usable += 1
                if requests != 1 || end != .work(.unknown) {
                    report.violations.append("\(requests) requests for \(payload)")
                }
            case .unknown, .invalid:
                if HintVerdict(payload: payload) == .unknown { report.unknown += 1 }
                if requests != 0 || end != .ignored { report.violations.append("a request for \(payload)") }
            }
        }
        if try await !store.receipts().isEmpty { report.violations.append("a receipt was made of a damaged hint") }
        if try await !store.openJobs().isEmpty { report.violations.append("a damaged hint left work behind") }
        return report
    }

    private func mutated(_ random: inout SplitMix64) -> [UInt8] {
        let hint = WorkHint(
            job: .random(using: &random), documentType: Bool.random(using: &random) ? .receipt : .creditNote)
        var bytes: [UInt8]
        if Bool.random(using: &random) {
            bytes = APNSPayload(
                alert: APNSPayload.Alert(titleKey: "T", bodyKey: "B"), category: "C", hint: hint
            ).encoded()
        } else {
            bytes = JSONWriter.object {
                $0.member("eventType", WorkHint.eventType)
                $0.member("eventVersion", "1")
                $0.member("jobId", hint.job.description)
                $0.member("documentType", hint.documentType.rawValue)
            }
        }
        for _ in 0..<Int.random(in: 1...6, using: &random) { mutate(&bytes, &random) }
        return bytes
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        let index = Int.random(in: 0..<max(bytes.count, 1), using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where !bytes.isEmpty: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1 where !bytes.isEmpty: bytes.remove(at: index)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: min(index, bytes.count))
        case 3 where !bytes.isEmpty: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 4: bytes = Array(bytes.prefix(index))
        case 5: bytes += Array(bytes.prefix(index))
        case 6 where !bytes.isEmpty:
            // A digit for a digit and a letter for a letter, so that it often stays JSON.
            bytes[index] = Array("0123456789abcdefABCDEF-\"{}[]:,".utf8).randomElement(using: &random)!
        default: bytes.insert(contentsOf: Array(#""eventVersion":2,"#.utf8), at: min(1, bytes.count))
        }
    }
}

/// The gateway model at once, with a count.
private final class CountingGateway: Transport {
    let authority = "gateway.simulated"
    private let state: Mutex<(model: GatewayModel, requests: Int)>

    init(seed: UInt64) { state = Mutex((GatewayModel(seed: seed), 0)) }

    var requests: Int { state.withLock { $0.requests } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        state.withLock { state in
            state.requests += 1
            return state.model.answer(request, now: SystemClock().wall())
        }
    }
}
