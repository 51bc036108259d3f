import Cryptography
import Daemon
import Delivery
import HTTPServer
import Messages
import Testing
import TokenSigning

@testable import DeviceGateway

/// K5 against the front, with signatures as phones make them.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SignatureTests {
    @Test func `a signed request is answered`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            #expect(await desk.call(phone, "GET", "/v1/sync?limit=5").status == 200)
        }
    }

    @Test(arguments: [-119_000, 119_000] as [Int64])
    func `a clock that is off by less than two minutes is fine`(offset: Int64) async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let request = phone.signed("GET", "/v1/sync", at: Instant.now() + offset)
            #expect(await desk.answer(request).status == 200)
        }
    }

    @Test(arguments: [-130_000, 130_000] as [Int64])
    func `a wrong clock is told the server's time`(offset: Int64) async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let answer = await desk.answer(phone.signed("GET", "/v1/sync", at: Instant.now() + offset))
            #expect(answer.status == 401 && answer.problem?.kind == .clockSkew)
            #expect(abs((answer.problem?.serverTime ?? 0) - Instant.now()) < 10_000)
        }
    }

    @Test func `whatever is changed on the way breaks the signature`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            let job = Identifier.random()
            let good = phone.signed("POST", "/v1/jobs/\(job)/ack?a=1", Array("{}".utf8))
            let changes: [@Sendable (inout Request) -> Void] = [
                { $0.method = "PUT" }, { $0.target = "/v1/jobs/\(job)/nack?a=1" },
                { $0.target = "/v1/jobs/\(job)/ack?a=2" }, { $0.target = "/v1/jobs/\(job)/ack" },
                { $0.body = Array("{ }".utf8) }, { $0.body = [] },
            ]
            for change in changes {
                var request = good
                change(&request)
                let answer = await desk.answer(request)
                #expect([401, 405].contains(answer.status))
            }
            #expect(await desk.answer(good).problemName == "bad-request")
        }
    }

    @Test func `another host, another device or no signature is refused`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            var request = phone.signed("GET", "/v1/sync")
            request.headers = ["Host": "elsewhere.example"]
            for name in ["signature-input", "signature"] {
                request.headers.add(name, phone.signed("GET", "/v1/sync").headers[name] ?? "")
            }
            #expect(await desk.answer(request).problemName == "bad-signature")
            #expect(await desk.call(Phone(), "GET", "/v1/sync").problemName == "bad-signature")
            let bare = Request(method: "GET", target: "/v1/sync", headers: ["Host": "gateway.example"])
            #expect(await desk.answer(bare).problemName == "bad-signature")
        }
    }

    @Test func `two signatures of one label are refused`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            var request = phone.signed("GET", "/v1/sync")
            request.headers.add("Signature", request.headers["signature"] ?? "")
            #expect(await desk.answer(request).status == 401)
        }
    }

    @Test func `a key of the Secure Enclave's kind signs too`() async throws {
        try await withDesk { desk in
            let phone = Phone()
            let key = try PrivateKey.generate(.es256)
            let ticket = await desk.produce("POST", "/v1/producer/accounts/a/enrolment-tickets")
            let wish = DeviceAPIEnrolment(
                ticket: try JSONReader(ticket.body).string("ticket"), device: phone.id, platform: .ios,
                signingAlgorithm: .ecdsaP256SHA256, signingKey: try #require(key.publicKey.p256Point), keyID: "k1",
                publicKey: phone.agreementKey)
            let sign: ([UInt8]) -> [UInt8] = { (try? key.sign($0)) ?? [] }
            let enrolment = phone.sign(
                Request(method: "POST", target: "/v1/devices", body: wish.encoded()), at: Instant.now(), by: sign)
            #expect(await desk.answer(enrolment).status == 201)
            let sync = phone.sign(Request(method: "GET", target: "/v1/sync"), at: Instant.now(), by: sign)
            #expect(await desk.answer(sync).status == 200)
        }
    }

    @Test func `a revoked device is refused at once although its key is known`() async throws {
        try await withDesk { desk in
            let phone = try await desk.world.enrol()
            #expect(await desk.call(phone, "GET", "/v1/sync").status == 200)
            #expect(await desk.produce("DELETE", "/v1/producer/devices/\(phone.id)").status == 204)
            let answer = await desk.call(phone, "GET", "/v1/sync")
            #expect(answer.status == 401 && answer.problemName == "device-revoked")
        }
    }

    @Test func `too many calls are told when to come back`() async throws {
        try await withDesk({
            $0.deviceRate = 0.001
            $0.deviceBurst = 2
        }) { desk in
            let phone = try await desk.world.enrol()
            var answers: [Response] = []
            for _ in 0..<3 { answers.append(await desk.call(phone, "GET", "/v1/sync")) }
            #expect(answers.map(\.status) == [200, 200, 429])
            #expect((990...1_000).contains(Int(answers[2].headers["retry-after"] ?? "") ?? 0))
        }
    }
}
