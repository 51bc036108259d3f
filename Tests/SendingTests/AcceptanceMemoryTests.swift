import Delivery
import Testing

@testable import Sending

struct AcceptanceMemoryTests {
    private func key(_ number: UInt8, life: Int = 1) -> AcceptanceMemory.Key {
        AcceptanceMemory.Key(entry: Identifier(bytes: [UInt8](repeating: number, count: 16)), life: life)
    }

    @Test func `an acceptance is remembered with its id, or without one`() {
        var memory = AcceptanceMemory(limit: 10)
        memory.accepted(key(1), id: "projects/p/messages/1")
        memory.accepted(key(2), id: nil)
        #expect(memory.id(of: key(1)) == .some("projects/p/messages/1"))
        #expect(memory.id(of: key(2)) == .some(nil))
        #expect(memory.id(of: key(3)) == nil)
    }

    @Test func `another life of the entry is not remembered`() {
        var memory = AcceptanceMemory(limit: 10)
        memory.accepted(key(1), id: nil)
        #expect(memory.id(of: key(1, life: 2)) == nil)
    }

    @Test func `the first acceptance keeps its id`() {
        var memory = AcceptanceMemory(limit: 10)
        memory.accepted(key(1), id: "first")
        memory.accepted(key(1), id: "second")
        #expect(memory.id(of: key(1)) == .some("first"))
        #expect(memory.count == 1)
    }

    @Test func `the oldest are forgotten beyond the limit, round after round (fault 43)`() {
        var memory = AcceptanceMemory(limit: 3)
        for number in UInt8(0)..<10 {
            memory.accepted(key(number), id: nil)
            #expect(memory.count == min(Int(number) + 1, 3))
        }
        #expect((UInt8(0)..<10).filter { memory.id(of: key($0)) != nil } == [7, 8, 9])
    }
}
