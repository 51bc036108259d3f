import CNGHTTP2

/// Lends header fields to nghttp2, which copies them. Reused for every message of a connection, so that one costs no
/// allocation here.
final class FieldBlock {
    private var bytes: [UInt8] = []
    /// Of the fields in front, whose text is in `bytes`.
    private var front: [Headers.Place] = []
    private var headers = Headers()
    private var pointers: [nghttp2_nv] = []

    func removeAll() {
        headers = Headers()
        bytes.removeAll(keepingCapacity: true)
        front.removeAll(keepingCapacity: true)
    }

    /// A field in front of the message's own: a pseudo-header.
    func append(_ name: StaticString, _ value: String, isVolatile: Bool = false) {
        let start = Int32(bytes.count)
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        var value = value
        value.withUTF8 { bytes.append(contentsOf: $0) }
        let count = Int32(name.utf8CodeUnitCount)
        front.append(
            Headers.Place(
                start: start, name: count, value: Int32(bytes.count) - start - count, isVolatile: isVolatile))
    }

    /// The message's own fields, behind those in front.
    func append(_ headers: Headers) { self.headers = headers }

    func withPointers<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        pointers.removeAll(keepingCapacity: true)
        return bytes.withUnsafeBufferPointer { own in
            add(front, own)
            return headers.bytes.withUnsafeBufferPointer { text in
                add(headers.places, text)
                return pointers.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
            }
        }
    }

    private func add(_ places: [Headers.Place], _ text: UnsafeBufferPointer<UInt8>) {
        // nghttp2's structure says mutable; with these flags it only reads.
        guard let base = UnsafeMutablePointer(mutating: text.baseAddress) else { return }
        for place in places {
            let name = base + Int(place.start)
            pointers.append(
                nghttp2_nv(
                    name: name, value: name + Int(place.name), namelen: Int(place.name), valuelen: Int(place.value),
                    flags: place.isVolatile ? UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0))
        }
    }
}
