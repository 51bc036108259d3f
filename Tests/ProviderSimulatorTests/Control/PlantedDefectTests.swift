import HTTP2
import HTTPClient
import Testing

@testable import ProviderSimulator

/// Defects that a load test plants in the simulator to see that it finds them, and the short journal that it reads.
@Suite(.timeLimit(.minutes(4)))
struct PlantedDefectTests {
    @Test func `a swallowed push is answered as accepted, and neither journal nor phone know of it`() async throws {
        let rig = try await SimulatorRig.start()
        try await rig.play(#"{"rules":[{"times":1,"do":{"swallow":true}}]}"#)
        for _ in 0..<2 { #expect(try await rig.push().answeredStatus == 200) }
        #expect(try await rig.lines("/journal").count == 1)
        #expect(try await rig.lines("/deliveries").count == 1)
        await rig.stop()
    }

    @Test func `a push that is taken twice is answered once, journaled twice and delivered twice`() async throws {
        let rig = try await SimulatorRig.start()
        try await rig.play(#"{"rules":[{"times":1,"do":{"twice":true}}]}"#)
        #expect(try await rig.push().answeredStatus == 200)
        #expect(try await rig.lines("/journal").map { $0["number"]?.integer } == [1, 2])
        #expect(try await rig.lines("/deliveries").count == 2)
        await rig.stop()
    }

    @Test func `a refused push is neither swallowed nor doubled`() async throws {
        let rig = try await SimulatorRig.start()
        for deed in ["swallow", "twice"] {
            try await rig.play("{\"rules\":[{\"do\":{\"\(deed)\":true}}]}")
            #expect(try await rig.push(String(repeating: "00", count: 32)).answeredStatus == 400)
        }
        #expect(try await rig.lines("/journal").count == 2)
        await rig.stop()
    }

    @Test func `the short journal has a line of eight words a request, and 0 for what was broken off`() async throws {
        let rig = try await SimulatorRig.start()
        try await rig.play(#"{"rules":[{"times":1,"do":{"delayMilliseconds":3}},{"do":{"reset":"INTERNAL_ERROR"}}]}"#)
        #expect(try await rig.push().answeredStatus == 200)
        _ = try await rig.push()
        let lines = try await rig.control("GET", "/answers").text.split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(lines.map(\.count) == [8, 8])
        #expect(lines.map { $0[3] } == ["200", "0"])
        let first = try #require(lines.first)
        #expect(first[0] == "1")
        #expect(abs((Int64(first[1]) ?? 0) / 1000 - WallClock.now) < 60_000)
        #expect(
            Array(first[2...]) == ["3", "200", "apns", "6f9619ff-8b86-4011-b42d-00c04fc964ff", "-", Bench.apnsToken])
        #expect(try await rig.control("GET", "/answers?after=1").text.hasPrefix("2 "))
        await rig.stop()
    }
}
