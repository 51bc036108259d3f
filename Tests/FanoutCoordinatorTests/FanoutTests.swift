import Delivery
import Testing

@testable import FanoutCoordinator

struct `The id of a downstream message` {
    private static let job = Identifier("6ba7b810-9dad-11d1-80b4-00c04fd430c8")!

    @Test func `is the version-5 UUID of job and recipient`() {
        // Appendix A.4 of RFC 9562: this namespace with "www.example.com".
        let id = Fanout.messageID(job: Self.job, recipient: "www.example.com")
        #expect(id.description == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    }

    @Test func `differs by recipient`() {
        #expect(
            Fanout.messageID(job: Self.job, recipient: "a") != Fanout.messageID(job: Self.job, recipient: "b"))
    }
}
