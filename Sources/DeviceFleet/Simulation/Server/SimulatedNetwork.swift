import Delivery
import DeviceKit
import Messages
import Synchronization

/// The way to the gateway model and back, with what happens on such ways: pauses, requests and answers that are lost,
/// requests that arrive twice, and a gateway that is busy.
final class SimulatedNetwork: Transport {
    let authority = "gateway.simulated"
    private let gateway: Mutex<GatewayModel>
    private let loop: SimulationLoop
    private let random: SeededRandom
    private let troubled = Mutex(false)

    init(loop: SimulationLoop, random: SeededRandom) {
        self.loop = loop
        self.random = random
        gateway = Mutex(GatewayModel(seed: random.seed()))
    }

    func setTroubled(_ flag: Bool) { troubled.withLock { $0 = flag } }

    /// Looks into the gateway or changes it, without the network.
    func withGateway<Result: Sendable>(_ body: (inout GatewayModel) -> Result) -> Result {
        gateway.withLock { body(&$0) }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let isTroubled = troubled.withLock { $0 }
        let luck = isTroubled ? random.fraction() : 1
        await pause(random.number(in: isTroubled && random.chance(0.05) ? 1_000...8_000 : 20...200))
        switch luck {
        case ..<0.05:
            await pause(10_000)
            throw .failed("timed out")
        case ..<0.10:
            _ = arrive(request)
            await pause(10_000)
            throw .failed("connection lost")
        case ..<0.13:
            return GatewayModel.problem(503, .unavailable, loop.now, retryAfter: random.number(in: 1...30))
        case ..<0.15:
            _ = arrive(request)
            await pause(random.number(in: 1...3_000))
        default: break
        }
        let answer = arrive(request)
        await pause(random.number(in: 5...150))
        return answer
    }

    private func arrive(_ request: TransportRequest) -> TransportResponse {
        gateway.withLock { $0.answer(request, now: loop.now) }
    }

    private func pause(_ milliseconds: Int64) async { await loop.sleep(until: loop.now + milliseconds) }
}
