import Cryptography
import Daemon
import Delivery
import HTTPServer
import Messages
import Testing

@testable import DeviceGateway

@Suite(.serialized, .timeLimit(.minutes(2))) struct EnrolmentTests {
    private func ticket(_ desk: Desk, account: String = "a") async throws -> String {
        let answer = await desk.produce("POST", "/v1/producer/accounts/\(account)/enrolment-tickets")
        #expect(answer.status == 201)
        return try JSONReader(answer.body).string("ticket")
    }

    private func wish(_ phone: Phone, _ ticket: String, publicKey: [UInt8]? = nil) -> DeviceAPIEnrolment {
        DeviceAPIEnrolment(
            ticket: ticket, device: phone.id, platform: .android, signingAlgorithm: .ed25519,
            signingKey: phone.key.publicKey, keyID: "k1", publicKey: publicKey ?? phone.agreementKey)
    }

    private func enrol(_ desk: Desk, _ phone: Phone, _ wish: DeviceAPIEnrolment) async -> Response {
        await desk.call(phone, "POST", "/v1/devices", wish.encoded())
    }

    @Test func `a ticket enrols a device and the set version grows`() async throws {
        try await withDesk { desk in
            let phone = Phone()
            let answer = await enrol(desk, phone, wish(phone, try await ticket(desk)))
            #expect(answer.status == 201)
            let enrolled = try DeviceAPIEnrolled(decoding: answer.body)
            #expect(enrolled == DeviceAPIEnrolled(device: phone.id, account: "a", deviceSetVersion: 1))
        }
    }

    @Test func `the same ticket with the same keys gets the same answer`() async throws {
        try await withDesk { desk in
            let phone = Phone()
            let wish = wish(phone, try await ticket(desk))
            let first = await enrol(desk, phone, wish)
            let second = await enrol(desk, phone, wish)
            #expect(second.status == 201 && second.body == first.body)
        }
    }

    @Test func `a used ticket enrols nobody else`() async throws {
        try await withDesk { desk in
            let ticket = try await ticket(desk)
            let phone = Phone()
            _ = await enrol(desk, phone, wish(phone, ticket))
            let other = Phone()
            #expect(await enrol(desk, other, wish(other, ticket)).problemName == "bad-ticket")
            let changed = wish(phone, ticket, publicKey: RandomBytes.make(32))
            #expect(await enrol(desk, phone, changed).problemName == "bad-ticket")
        }
    }

    @Test func `an unknown or expired ticket is refused`() async throws {
        try await withDesk({ $0.ticketLifetime = .zero }) { desk in
            let phone = Phone()
            #expect(await enrol(desk, phone, wish(phone, "nonsense")).problemName == "bad-ticket")
            let expired = try await ticket(desk)
            #expect(await enrol(desk, phone, wish(phone, expired)).problemName == "bad-ticket")
        }
    }

    @Test func `who does not hold the key is refused`() async throws {
        try await withDesk { desk in
            let ticket = try await ticket(desk)
            let phone = Phone()
            let thief = Phone()
            var stolen = wish(phone, ticket)
            stolen.device = thief.id
            #expect(await enrol(desk, thief, stolen).problemName == "bad-signature")
            #expect(await enrol(desk, thief, wish(phone, ticket)).problemName == "bad-signature")
        }
    }

    @Test func `a new agreement key becomes the current one and an old one never comes back`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let key = DeviceAPIAgreementKey(publicKey: RandomBytes.make(32)).encoded()
            #expect(await desk.call(phone, "PUT", "/v1/devices/me/keys/k2", key).status == 201)
            #expect(await desk.call(phone, "PUT", "/v1/devices/me/keys/k2", key).status == 204)
            let old = DeviceAPIAgreementKey(publicKey: phone.agreementKey).encoded()
            #expect(await desk.call(phone, "PUT", "/v1/devices/me/keys/k1", old).problemName == "key-conflict")
            let devices = await desk.produce("GET", "/v1/producer/accounts/account-1/devices")
            let listed = try JSONReader(devices.body)
            #expect(try listed.integer("deviceSetVersion") == 2)
            #expect(try listed.array("devices").first?["keyId"]?.string == "k2")
        }
    }

    @Test func `an address that enrols too often is told when to come back, another is served`() async throws {
        try await withDesk({ $0.enrolmentRate = 2 }) { desk in
            func ask(from address: String) async -> Response {
                let phone = Phone()
                var request = phone.signed("POST", "/v1/devices", wish(phone, "no-such-ticket").encoded())
                request.peer = address
                return await desk.answer(request)
            }
            for _ in 0..<2 { #expect(await ask(from: "192.0.2.1").problemName == "bad-ticket") }
            let refused = await ask(from: "192.0.2.1")
            #expect(refused.status == 429 && refused.headers["retry-after"] == "30")
            #expect(await ask(from: "192.0.2.2").problemName == "bad-ticket")
        }
    }

    @Test func `a ticket that is tried too often is refused for a while`() async throws {
        try await withDesk({ $0.enrolmentTicketRate = 3 }) { desk in
            let phone = Phone()
            let wish = wish(phone, try await ticket(desk))
            for _ in 0..<3 { #expect(await enrol(desk, phone, wish).status == 201) }
            #expect(await enrol(desk, phone, wish).status == 429)
        }
    }
}
