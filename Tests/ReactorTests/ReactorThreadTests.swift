import CLinux
import Glibc
import Reactor
import Testing

/// The smallest owner: an actor on a reactor thread that watches one pipe.
private actor PipeOwner: ReactorSource {
    let reactor: ReactorThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }
    private var received: [UInt8] = []
    private var waiting: CheckedContinuation<[UInt8], Never>?
    private var deadline: ContinuousClock.Instant?
    private var expired: CheckedContinuation<Void, Never>?
    fileprivate(set) var counted = 0

    init(reactor: ReactorThread) { self.reactor = reactor }

    func start(reading descriptor: Int32) {
        reactor.add(self)
        reactor.watch(descriptor, for: .read) { [unowned self] _ in
            self.assumeIsolated { owner in
                var byte: UInt8 = 0
                guard read(descriptor, &byte, 1) == 1 else { return owner.reactor.unwatch(descriptor) }
                owner.received.append(byte)
                owner.waiting.take()?.resume(returning: owner.received)
            }
        }
    }

    /// What was read so far, once there is something.
    func next() async -> [UInt8] {
        received.isEmpty ? await withCheckedContinuation { waiting = $0 } : received
    }

    func sleep(_ duration: Duration) async {
        deadline = .now + duration
        await withCheckedContinuation { expired = $0 }
    }

    func stop() {
        reactor.remove(self)
        reactor.stop()
    }

    nonisolated func turn() -> ContinuousClock.Instant? {
        assumeIsolated { owner in
            guard let deadline = owner.deadline else { return nil }
            if deadline > .now { return deadline }
            owner.deadline = nil
            owner.expired.take()?.resume()
            return nil
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ReactorThreadTests {
    @Test func `jobs of the actor run on the reactor's thread`() async {
        let owner = PipeOwner(reactor: ReactorThread(name: "test"))
        let onThread = await owner.isOnThread()
        #expect(onThread)
        #expect(owner.reactor.isIsolatingCurrentContext() == false)
        await owner.stop()
    }

    @Test func `a readable descriptor wakes its handler`() async {
        let owner = PipeOwner(reactor: ReactorThread(name: "test"))
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        await owner.start(reading: ends[0])
        async let got = owner.next()
        var byte: UInt8 = 42
        #expect(write(ends[1], &byte, 1) == 1)
        #expect(await got == [42])
        await owner.stop()
        close(ends[0])
        close(ends[1])
    }

    @Test func `a deadline named by a turn ends the sleep`() async {
        let owner = PipeOwner(reactor: ReactorThread(name: "test"))
        await owner.start(reading: -1)
        let began = ContinuousClock.now
        await owner.sleep(.milliseconds(30))
        #expect(ContinuousClock.now - began >= .milliseconds(30))
        await owner.stop()
    }

    @Test func `many tasks at once lose no job`() async {
        let owner = PipeOwner(reactor: ReactorThread(name: "test"))
        await withTaskGroup { group in
            for _ in 0..<64 { group.addTask { for _ in 0..<100 { await owner.count() } } }
        }
        #expect(await owner.counted == 6400)
        await owner.stop()
    }
}

extension PipeOwner {
    func isOnThread() -> Bool { reactor.isIsolatingCurrentContext() == true }
    func count() { counted += 1 }
}
