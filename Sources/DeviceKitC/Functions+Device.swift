public import CDeviceKit
import Delivery
import DeviceKit
import DeviceStore
import Messages

@c @implementation
public func deviceKitOpen(
    _ configuration: UnsafePointer<CChar>!, _ host: UnsafePointer<DeviceKitHost>!,
    _ device: UnsafeMutablePointer<OpaquePointer?>!
) -> DeviceKitStatus {
    guard let configuration, let host, let device,
        let settings = try? HostConfiguration(Array(String(cString: configuration).utf8))
    else { return DeviceKitInvalid }
    nonisolated(unsafe) let functions = host.pointee
    let handle = blocking { () async -> DeviceHandle? in try? await DeviceHandle(settings, functions) }
    guard let handle else { return DeviceKitStoreFailed }
    device.pointee = OpaquePointer(Unmanaged.passRetained(handle).toOpaque())
    return DeviceKitDone
}

@c @implementation
public func deviceKitClose(_ device: OpaquePointer!) {
    guard let device else { return }
    Unmanaged<DeviceHandle>.fromOpaque(UnsafeRawPointer(device)).release()
}

@c @implementation
public func deviceKitEnrol(_ device: OpaquePointer!, _ ticket: UnsafePointer<CChar>!) -> DeviceKitStatus {
    guard let handle = DeviceHandle.of(device), let ticket else { return DeviceKitInvalid }
    let text = String(cString: ticket)
    return blocking {
        await CallEnd { () async throws(DeviceError) in
            _ = try await handle.device.enrol(ticket: text)
            return nil
        }.status
    }
}

@c @implementation
public func deviceKitRegister(
    _ device: OpaquePointer!, _ token: UnsafePointer<CChar>!, _ isInstallation: Int32
) -> DeviceKitStatus {
    guard let handle = DeviceHandle.of(device), let token else { return DeviceKitInvalid }
    let text = String(cString: token)
    return blocking {
        await CallEnd { () async throws(DeviceError) in
            try await handle.device.register(
                text, kind: isInstallation != 0 ? .fid : .token, route: handle.configuration.route)
            return nil
        }.status
    }
}

@c @implementation
public func deviceKitState(_ device: OpaquePointer!) -> UnsafeMutablePointer<CChar>! {
    guard let handle = DeviceHandle.of(device) else { return nil }
    return blocking { try? await handle.state() }.flatMap(copied)
}

@c @implementation
public func deviceKitReceipt(
    _ device: OpaquePointer!, _ job: UnsafePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! {
    guard let handle = DeviceHandle.of(device), let job, let id = Identifier(String(cString: job)) else { return nil }
    return blocking { try? await handle.store.receipt(id)?.document }.flatMap(copied)
}

@c @implementation
public func deviceKitFree(_ text: UnsafeMutablePointer<CChar>!) {
    text?.deallocate()
}

/// With a zero byte at its end, for `deviceKitFree`.
private func copied(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
    copy[bytes.count] = 0
    return copy
}
