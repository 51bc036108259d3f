import CDeviceKit
import DeviceKit

@c @implementation
public func deviceKitAnswer(
    _ exchange: OpaquePointer!, _ status: Int32, _ fields: UnsafePointer<CChar>!, _ body: UnsafePointer<UInt8>!,
    _ bodyLength: Int
) {
    guard let exchange = taken(exchange) else { return }
    let bytes = body.map { Array(UnsafeBufferPointer(start: $0, count: bodyLength)) } ?? []
    let text = fields.map { String(cString: $0) } ?? ""
    exchange.end(.success(TransportResponse(status: Int(status), fields: FieldLines.read(text), body: bytes)))
}

@c @implementation
public func deviceKitNoAnswer(_ exchange: OpaquePointer!, _ isOffline: Int32, _ reason: UnsafePointer<CChar>!) {
    guard let exchange = taken(exchange) else { return }
    exchange.end(.failure(isOffline != 0 ? .offline : .failed(reason.map { String(cString: $0) } ?? "no answer")))
}

/// The exchange that `send` gave out, which this call ends.
private func taken(_ exchange: OpaquePointer?) -> Exchange? {
    exchange.map { Unmanaged<Exchange>.fromOpaque(UnsafeRawPointer($0)).takeRetainedValue() }
}
