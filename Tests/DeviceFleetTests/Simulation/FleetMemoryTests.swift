import DeviceFleet
import Testing

@Suite(.timeLimit(.minutes(1))) struct FleetMemoryTests {
    /// Ten thousand at this rate are two gibibytes.
    @Test func `a phone in memory takes less than 200 KiB with its work done`() {
        let report = FleetMemory(phones: 100, jobs: 3).run()
        #expect(report.violations == [])
        #expect(report.phones == 100 && report.receipts == 300)
        #expect((report.residentBytes - report.bytesBefore) / report.phones < 200 * 1024)
    }
}
