import CSodium

/// Unpredictable bytes from the operating system's generator.
public enum RandomBytes {
    public static func make(_ count: Int) -> [UInt8] {
        Sodium.prepare()
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }
}
