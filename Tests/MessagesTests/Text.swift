extension [UInt8] {
    /// Bytes as text, for comparison with golden text.
    var text: String { String(decoding: self, as: UTF8.self) }
}
