import Delivery
import DeviceKit
import DeviceStore
import Messages
import Testing

/// SplitMix64: the same seed gives the same hints.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

@Suite(.timeLimit(.minutes(3))) struct MutatedHintTests {
    private static let job = Identifier("6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11")!

    private func mutated(_ generator: inout Seeded) -> [UInt8] {
        var bytes = World.payload(Self.job)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let index = Int.random(in: 0..<max(bytes.count, 1), using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0 where !bytes.isEmpty: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1 where !bytes.isEmpty: bytes.remove(at: index)
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: min(index, bytes.count))
            case 3 where !bytes.isEmpty: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 4: bytes = Array(bytes.prefix(index))
            default: bytes += Array(bytes.prefix(index))
            }
        }
        return bytes
    }

    @Test func `R-42: a hundred thousand mutated hints: no crash, and no fetch for an invalid one`() async throws {
        let world = World()
        let store = MemoryStore()
        let phone = try await world.boot(store)
        var generator = Seeded(state: 20_261_130)
        var usable = 0
        for _ in 0..<100_000 {
            let payload = mutated(&generator)
            let before = await world.gateway.log.count
            let end = try await phone.receive(payload)
            let fetches = await world.gateway.log.count - before
            if case .work = HintVerdict(payload: payload) {
                usable += 1
                #expect(fetches == 1 && end == .work(.unknown))
            } else {
                #expect(fetches == 0 && end == .ignored)
            }
        }
        #expect(usable > 0)
        #expect(try await store.receipts().isEmpty)
        #expect(try await store.openJobs().isEmpty)
    }
}
