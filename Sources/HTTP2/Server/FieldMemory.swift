import Glibc

/// Makes strings of header fields as they come. Clients repeat themselves: a field that is byte for byte the one that
/// stood at its place in the request before is the same string again, which costs neither memory nor a copy.
final class FieldMemory {
    private var known: [HeaderField] = []

    /// The field at place `index` of a request.
    func field(
        at index: Int, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) -> HeaderField {
        guard index < known.count else {
            let field = HeaderField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
            // More are not worth remembering.
            if index < 64 { known.append(field) }
            return field
        }
        if !Self.isSame(known[index].name, name) { known[index].name = String(decoding: name, as: UTF8.self) }
        if !Self.isSame(known[index].value, value) { known[index].value = String(decoding: value, as: UTF8.self) }
        return known[index]
    }

    private static func isSame(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var text = text
        return text.withUTF8 { known in
            known.count == bytes.count
                && (bytes.isEmpty || memcmp(known.baseAddress!, bytes.baseAddress!, bytes.count) == 0)
        }
    }
}
