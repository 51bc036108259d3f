/// The forms of names that occur in paths and bodies; the same as the checks of the tables.
enum Naming {
    static func isAccount(_ text: String) -> Bool { matches(text, 1...128, "_-") }
    static func isRecipient(_ text: String) -> Bool { matches(text, 1...128, "_-") }
    static func isKeyID(_ text: String) -> Bool { matches(text, 1...64, "_.-") }

    private static func matches(_ text: String, _ length: ClosedRange<Int>, _ others: String) -> Bool {
        length.contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || others.utf8.contains($0)
            }
    }
}
