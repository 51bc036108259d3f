/// Passwords and names that nobody else on the machine can guess.
enum RandomWord {
    static func make() -> String {
        (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }
}
