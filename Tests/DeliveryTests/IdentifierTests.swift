import Delivery
import Testing

@Suite struct IdentifierTests {
    @Test func `text of any case reads and writes back in lower case`() throws {
        let identifier = try #require(Identifier("0190A2B3-c4D5-4e6f-8A9b-0123456789AB"))
        #expect(identifier.description == "0190a2b3-c4d5-4e6f-8a9b-0123456789ab")
        #expect(Identifier(identifier.description) == identifier)
    }

    @Test(arguments: [
        "", "0190a2b3c4d54e6f8a9b0123456789ab", "0190a2b3-c4d5-4e6f-8a9b-0123456789a",
        "0190a2b3-c4d5-4e6f-8a9b-0123456789abc", "0190a2b3-c4d5-4e6f-8a9b-0123456789ag",
        "0190a2b3_c4d5-4e6f-8a9b-0123456789ab", "{0190a2b3-c4d5-4e6f-8a9b-0123456789a}",
        "0190a2b3-c4d5-4e6f-8a9b-0123456789ab-", "0190a2b3-c4d5-4e6f-8a9b-0123456789é",
    ])
    func `anything else is refused`(text: String) {
        #expect(Identifier(text) == nil)
    }

    @Test func `random identifiers are version 4 and differ`() {
        let identifiers = (0..<1000).map { _ in Identifier.random() }
        #expect(Set(identifiers).count == 1000)
        #expect(identifiers.allSatisfy { $0.bytes[6] >> 4 == 4 && $0.bytes[8] >> 6 == 2 })
    }

    @Test func `order is that of the bytes`() {
        #expect(
            Identifier(bytes: [UInt8](repeating: 1, count: 16)) < Identifier(bytes: [UInt8](repeating: 0xF0, count: 16))
        )
    }
}
