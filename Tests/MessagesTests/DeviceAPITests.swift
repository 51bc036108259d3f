import Delivery
import Messages
import Testing

@Suite struct DeviceAPITests {
    private let device = Identifier("a1b2c3d4-0000-4000-8000-00000000000a")!
    private let job = Identifier("6f1c2f0e-52d7-4a53-9c39-2d6a1f0b7c11")!

    @Test func `an acknowledgement has these bytes and is read back`() throws {
        let ack = DeviceAPIAck(origin: .foreground, receiptEvidence: [1, 2, 3], clientSequence: 4)
        #expect(ack.encoded().text == #"{"origin":"foreground","receiptEvidence":"AQID","clientSeq":4}"#)
        #expect(try DeviceAPIAck(decoding: ack.encoded()) == ack)
    }

    @Test func `a job is read back`() throws {
        let fetched = DeviceAPIJob(
            job: job, documentType: .receipt, state: .pending, fanout: .needed, bodyFormat: 1, body: [1],
            bodyDigest: [2],
            commitment: [3], signature: [4], signingKeyID: "p1", keyID: "a1", sealedKey: [5], recipients: ["x", "y"],
            committedAt: 6, expiresAt: 7, pendingOthers: 8)
        #expect(try DeviceAPIJob(decoding: fetched.encoded()) == fetched)
    }

    @Test func `a listing is read back, with and without a next page`() throws {
        let entry = DeviceAPIListing.Entry(
            job: job, documentType: .creditNote, state: .acknowledged, fanoutNeeded: true, committedAt: 1, expiresAt: 2)
        for listing in [DeviceAPIListing(jobs: [entry], next: "c"), DeviceAPIListing(jobs: [])] {
            #expect(try DeviceAPIListing(decoding: listing.encoded()) == listing)
        }
    }

    @Test func `a submission is read back and its digest covers recipients and ciphertexts`() throws {
        let submission = DeviceAPISubmission(nonce: device, digest: [1], ciphertexts: ["b": [2], "a": [1]])
        #expect(try DeviceAPISubmission(decoding: submission.encoded()) == submission)
        #expect(
            DeviceAPISubmission.digestInput(submission.ciphertexts)
                == [0, 1, 0x61, 0, 0, 0, 1, 1, 0, 1, 0x62, 0, 0, 0, 1, 2])
        #expect(
            DeviceAPISubmission.digestInput(["a": [1, 0, 1, 0x62]])
                != DeviceAPISubmission.digestInput(["a": [1], "b": []]))
    }

    @Test func `a push token with and without the alert flag is read back`() throws {
        for flag in [true, false, nil] {
            let token = DeviceAPIPushToken(
                provider: .apns, environment: "sandbox", app: "cheqi", kind: .token, token: "ab", registration: 2,
                alertsEnabled: flag)
            #expect(try DeviceAPIPushToken(decoding: token.encoded()) == token)
        }
    }

    @Test func `an enrolment is read back`() throws {
        let enrolment = DeviceAPIEnrolment(
            ticket: "t", device: device, platform: .ios, signingAlgorithm: .ecdsaP256SHA256, signingKey: [1],
            keyID: "a1",
            publicKey: [2])
        #expect(try DeviceAPIEnrolment(decoding: enrolment.encoded()) == enrolment)
    }

    @Test(arguments: DeviceAPIProblem.Kind.allCases)
    func `a problem names its kind in its type`(kind: DeviceAPIProblem.Kind) throws {
        let problem = DeviceAPIProblem(
            kind: kind, status: 409, title: "no", retryable: true, currentEpoch: 3, serverTime: 5,
            highestRegistration: 6)
        #expect(try DeviceAPIProblem(decoding: problem.encoded()) == problem)
    }

    @Test func `an unknown problem is still a problem`() throws {
        let problem = try DeviceAPIProblem(decoding: Array(#"{"type":"about:blank","status":418}"#.utf8))
        #expect(problem.kind == nil && problem.status == 418)
    }
}
