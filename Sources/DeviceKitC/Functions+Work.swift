public import CDeviceKit
import Delivery
import DeviceKit
import Messages

@c @implementation
public func deviceKitReadHint(
    _ payload: UnsafePointer<UInt8>!, _ length: Int, _ job: UnsafeMutablePointer<CChar>!
) -> DeviceKitStatus {
    guard let payload, let job, length <= HintVerdict.longestPayload else { return DeviceKitInvalid }
    switch HintVerdict(payload: Array(UnsafeBufferPointer(start: payload, count: length))) {
    case .invalid: return DeviceKitInvalid
    case .unknown: return DeviceKitWaiting
    case .work(let hint):
        for (index, unit) in hint.job.description.utf8.enumerated() { job[index] = CChar(bitPattern: unit) }
        job[hint.job.description.utf8.count] = 0
        return DeviceKitDone
    }
}

@c @implementation
public func deviceKitProcess(
    _ device: OpaquePointer!, _ job: UnsafePointer<CChar>!, _ milliseconds: Int64,
    _ due: UnsafeMutablePointer<Int64>!
) -> DeviceKitStatus {
    guard let handle = DeviceHandle.of(device), let job, let id = Identifier(String(cString: job)) else {
        return DeviceKitInvalid
    }
    let deadline = handle.deadline(in: milliseconds)
    return told(due) {
        await CallEnd { () async throws(DeviceError) in
            let end = try await handle.device.process(id, until: deadline)
            try await handle.device.syncIfWished(until: deadline)
            switch end {
            case .waiting(let time): return time
            case .busy: return handle.clock.wall() + 1_000
            case .finished, .unknown, .revoked, .stopped: return nil
            }
        }
    }
}

@c @implementation
public func deviceKitSync(
    _ device: OpaquePointer!, _ origin: UnsafePointer<CChar>!, _ milliseconds: Int64,
    _ due: UnsafeMutablePointer<Int64>!
) -> DeviceKitStatus {
    guard let handle = DeviceHandle.of(device), let origin, let why = Origin(rawValue: String(cString: origin)),
        why != .hint
    else { return DeviceKitInvalid }
    let deadline = handle.deadline(in: milliseconds)
    return told(due) {
        await CallEnd { () async throws(DeviceError) in
            switch why {
            case .foreground: try await handle.device.foreground(until: deadline)
            default: try await handle.device.sync(why, until: deadline)
            }
        }
    }
}

private func told(
    _ due: UnsafeMutablePointer<Int64>?, _ work: @escaping @Sendable () async -> CallEnd
) -> DeviceKitStatus {
    let end = blocking(work)
    due?.pointee = end.due ?? 0
    return end.status
}
