/// Length-prefixed fields, so that no two lists of fields have the same bytes.
public enum ByteLayout {
    /// Two big-endian bytes of length and the text.
    public static func prefixed(_ text: String) -> [UInt8] {
        let units = Array(text.utf8)
        precondition(units.count <= 0xFFFF)
        return [UInt8(units.count >> 8), UInt8(units.count & 0xFF)] + units
    }
}
