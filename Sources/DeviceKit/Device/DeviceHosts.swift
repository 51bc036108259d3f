/// Everything outside the kit that a device needs; an app brings its own, a simulated phone simulated ones.
public struct DeviceHosts: Sendable {
    public var transport: any Transport
    public var store: any WorkStore
    public var keys: any KeyStore
    public var clock: any DeviceClock
    public var random: any RandomSource
    public var generator: any ReceiptGenerator
    public var notifier: any Notifier
    public var journal: any Journal

    public init(
        transport: any Transport, store: any WorkStore, keys: any KeyStore, clock: any DeviceClock,
        random: any RandomSource = SystemRandomSource(), generator: any ReceiptGenerator = CanonicalReceiptGenerator(),
        notifier: any Notifier = SilentNotifier(), journal: any Journal = NoJournal()
    ) {
        self.transport = transport
        self.store = store
        self.keys = keys
        self.clock = clock
        self.random = random
        self.generator = generator
        self.notifier = notifier
        self.journal = journal
    }
}
