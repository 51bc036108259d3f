import CNGHTTP2

extension Headers {
    /// Lends `front`, the pseudo-headers, and these fields behind them to nghttp2, which copies them. A message with an
    /// ordinary number of fields costs no allocation here.
    func lend<let count: Int, Result>(
        behind front: InlineArray<count, nghttp2_nv>, _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: count + places.count) { fields in
            for index in 0..<count { fields.initializeElement(at: index, to: front[index]) }
            return bytes.withUnsafeBufferPointer { text in
                var index = count
                for place in places {
                    let value = Int(place.start + place.name)
                    let name = UnsafeBufferPointer(rebasing: text[Int(place.start)..<value])
                    let rest = UnsafeBufferPointer(rebasing: text[value..<value + Int(place.value)])
                    fields.initializeElement(at: index, to: nghttp2_nv(name, rest, isVolatile: place.isVolatile))
                    index += 1
                }
                return body(fields.baseAddress, index)
            }
        }
    }
}

extension nghttp2_nv {
    init(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>, isVolatile: Bool = false) {
        self.init(
            UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), value, isVolatile: isVolatile)
    }

    /// nghttp2's structure says mutable; it only reads.
    fileprivate init(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, isVolatile: Bool
    ) {
        self.init(
            name: UnsafeMutablePointer(mutating: name.baseAddress),
            value: UnsafeMutablePointer(mutating: value.baseAddress), namelen: name.count, valuelen: value.count,
            flags: isVolatile ? UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0)
    }
}
