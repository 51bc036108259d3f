import Delivery
import DeviceStore
import Glibc

/// How much memory phones take that live in this process: each with its operating system, its app, a device with keys and
/// a store in memory, and work that was done.
public struct FleetMemory: Sendable {
    public struct Report: Equatable, Sendable {
        public var phones: Int
        public var receipts: Int
        /// Of this process now, and what of it was there before the phones.
        public var residentBytes: Int
        public var bytesBefore: Int
        public var violations: [String]
    }

    /// Two of one account each: an iPhone and an Android phone.
    public var phones: Int
    /// Of each account.
    public var jobs: Int

    public init(phones: Int, jobs: Int = 3) {
        self.phones = phones
        self.jobs = jobs
    }

    public func run(seed: UInt64 = 1) -> Report {
        let before = FleetMemory.resident
        var worlds: [SimulatedWorld] = []
        var receipts = 0
        var violations: [String] = []
        for number in 0..<((phones + 1) / 2) {
            let world = SimulatedWorld(seed: seed &+ UInt64(number), platforms: [.ios, .android])
            let jobs = jobs
            _ = world.loop.run {
                guard await world.enrolAll() else { return world.checker.report("liveness: not enrolled") }
                for _ in 0..<jobs { world.commit(hasFanout: true) }
                if !(await world.settle()) { world.checker.report("liveness: not complete") }
                await world.check()
                for phone in world.phones { await phone.tell(.left) }
                await world.sleep(20_000)
            }
            receipts += world.phones.reduce(0) { $0 + ((try? $1.disk.durable.receipts().count) ?? 0) }
            violations += world.checker.violations
            worlds.append(world)
        }
        return withExtendedLifetime(worlds) {
            Report(
                phones: worlds.count * 2, receipts: receipts, residentBytes: FleetMemory.resident, bytesBefore: before,
                violations: violations)
        }
    }

    /// The second number of `/proc/self/statm`, in pages.
    private static var resident: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 128)
        guard fgets(&buffer, 128, file) != nil else { return 0 }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let pages = text.split(separator: " " as Character).dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
