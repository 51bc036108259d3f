import CDeviceKit
import Delivery
import DeviceKit
import DeviceStore
import Messages

/// What a host holds by its pointer.
final class DeviceHandle: Sendable {
    let configuration: HostConfiguration
    let store: SQLiteStore
    let device: Device
    let clock = HostClock()

    init(_ configuration: HostConfiguration, _ host: DeviceKitHost) async throws(WorkStoreError) {
        guard let send = host.send else { throw .failed("the host cannot send") }
        self.configuration = configuration
        store = try SQLiteStore(path: configuration.store)
        let journal: any Journal =
            host.log.map { HostJournal(functions: HostJournal.Functions(context: host.context, log: $0)) }
            ?? NoJournal()
        device = try await Device(
            platform: configuration.platform, settings: DeviceSettings(authors: configuration.authors),
            hosts: DeviceHosts(
                transport: HostTransport(
                    authority: configuration.authority,
                    functions: HostTransport.Functions(context: host.context, send: send)),
                store: store, keys: StoredKeys(store: store), clock: clock, journal: journal))
    }

    /// Of the pointer, without taking it over.
    static func of(_ pointer: OpaquePointer?) -> DeviceHandle? {
        pointer.map { Unmanaged<DeviceHandle>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    /// When this call has to be over, on the monotonic clock.
    func deadline(in milliseconds: Int64) -> Int64 { clock.monotonic() + max(milliseconds, 0) }
}
