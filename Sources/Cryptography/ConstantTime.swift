import CSodium

/// Comparison whose time tells nothing about where two byte strings differ; lengths are public.
public enum ConstantTime {
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }
}
