import CNGHTTP2

/// Collects header fields in one buffer and lends them to nghttp2, which copies them. Reused for every request of a
/// connection, so that a request costs no allocation here.
final class FieldBlock {
    private var bytes: [UInt8] = []
    private var fields: [(name: Int, value: Int, flags: UInt8)] = []
    private var pointers: [nghttp2_nv] = []

    func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }

    func append(_ name: String, _ value: String, isVolatile: Bool = false) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: value.utf8)
        let flags = isVolatile ? UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0
        fields.append((name.utf8.count, value.utf8.count, flags))
    }

    func append(_ headers: Headers) {
        for field in headers { append(field.name, field.value, isVolatile: field.isVolatile) }
    }

    func withPointers<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        bytes.withUnsafeMutableBufferPointer { buffer in
            pointers.removeAll(keepingCapacity: true)
            var offset = 0
            for field in fields {
                let name = buffer.baseAddress.map { $0 + offset }
                pointers.append(
                    nghttp2_nv(
                        name: name, value: name.map { $0 + field.name }, namelen: field.name, valuelen: field.value,
                        flags: field.flags))
                offset += field.name + field.value
            }
            return pointers.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }
}
