import DeviceFleet
import Testing

@Suite(.timeLimit(.minutes(2))) struct MutatedHintsTests {
    @Test
    func `R-42: fifty thousand damaged hints of both platforms: no crash, and a fetch only for what is still valid`()
        async throws
    {
        let report = try await MutatedHints(seed: 7, count: 50_000).run()
        #expect(report.violations == [])
        #expect(report.usable > 100 && report.unknown > 100 && report.usable < report.hints / 2)
    }
}
