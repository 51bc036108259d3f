import HTTP2
import Testing
import TokenSigning

@testable import ProviderSimulator

struct QuotaTests {
    @Test func `a bucket refills evenly up to its burst`() {
        var bucket = TokenBucket(burst: 2, perMilliseconds: 1000, of: 2, now: 0)
        #expect([0, 0, 0].map { bucket.take($0) } == [0, 0, 500])
        #expect(bucket.take(499) == 1)
        #expect(bucket.take(500) == 0)
        #expect([10_000, 10_000, 10_000].map { bucket.take($0) } == [0, 0, 500])
    }

    @Test func `without quotas nothing is refused`() {
        var ledger = QuotaLedger(Quotas())
        for _ in 0..<10_000 {
            #expect(ledger.fcmDevice("t", now: 0) + ledger.project("p", perMinute: nil, now: 0) == 0)
        }
    }

    @Test func `the published numbers hold for each phone by itself`() {
        var ledger = QuotaLedger(.published)
        for _ in 0..<240 { #expect(ledger.fcmDevice("a", now: 0) == 0) }
        #expect(ledger.fcmDevice("a", now: 0) == 250)
        #expect(ledger.fcmDevice("b", now: 0) == 0)
        for _ in 0..<20 { #expect(ledger.collapsible("a", now: 0) == 0) }
        #expect(ledger.collapsible("a", now: 0) == 180_000)
        for _ in 0..<3 { #expect(ledger.background("a", now: 0) == 0) }
        #expect(ledger.background("a", now: 0) == 1_200_000)
    }

    @Test func `too many for one device are refused by FCM with the time to wait`() throws {
        var bench = try Bench { $0.quotas.fcmDevicePerMinute = 1 }
        let access = try bench.accessToken()
        #expect(bench.treat(Bench.fcm(access: access)).answer.isAccepted)
        let answer = bench.treat(Bench.fcm(access: access)).answer
        #expect(answer.reason == "QUOTA_EXCEEDED_DEVICE")
        #expect(answer.headers["retry-after"] == "60")
        bench.now += 60
        #expect(bench.treat(Bench.fcm(access: access)).answer.isAccepted)
    }

    @Test func `a project's own quota goes before everybody's`() throws {
        var bench = try Bench {
            $0.quotas.fcmProjectPerMinute = 100
            $0.fcmProjects[0].messagesPerMinute = 1
        }
        let access = try bench.accessToken()
        #expect(bench.treat(Bench.fcm(access: access)).answer.isAccepted)
        #expect(bench.treat(Bench.fcm(access: access)).answer.reason == "QUOTA_EXCEEDED")
    }

    @Test func `too many for one device are refused by APNs`() throws {
        var bench = try Bench { $0.quotas.apnsDevicePerMinute = 1 }
        #expect(bench.treat(try Bench.apns()).answer.isAccepted)
        #expect(bench.treat(try Bench.apns()).answer.reason == "TooManyRequests")
    }

    @Test func `background pushes beyond the budget wait, and the newest is delivered`() throws {
        var bench = try Bench { $0.quotas.apnsBackgroundPerHour = 1 }
        func background(_ id: Int) throws -> ProviderRequest {
            try Bench.apns(
                [
                    "apns-push-type": "background", "apns-priority": "5", "apns-collapse-id": "\(id)",
                    "apns-expiration": nil,
                ],
                body: #"{"aps":{"content-available":1},"id":\#(id)}"#)
        }
        #expect(bench.treat(try background(1)).outgoing.count == 1)
        for id in 2...3 { #expect(bench.treat(try background(id)).outgoing.isEmpty) }
        let due = bench.world.devices.flushDue(now: (bench.now + 3600) * 1000)
        #expect(due.map { $0.message?.collapseKey } == ["3"])
    }

    @Test func `collapsible messages beyond the burst wait, but not those for now or never`() throws {
        var bench = try Bench { $0.quotas.fcmCollapsibleBurst = 1 }
        let access = try bench.accessToken()
        func send(_ ttl: Int) -> Int {
            let body =
                #"{"message":{"token":"\#(Bench.fcmToken)","android":{"collapse_key":"k","ttl":"\#(ttl)s"}}}"#
            return bench.treat(Bench.fcm(body, access: access)).outgoing.count
        }
        #expect([send(60), send(60), send(0)] == [1, 0, 1])
    }

    @Test(arguments: [
        (#""none""#, #"quotas must be "published" or an object of numbers"#),
        (#"{"fcmDevicePerMinute":0}"#, "quotas.fcmDevicePerMinute must be from 1 to 1000000000"),
        (#"{"fcmDevice":1}"#, #"quotas: "fcmDevice" is not known here"#),
    ])
    func `a wrong quota is named with its place`(text: String, says: String) {
        let error = #expect(throws: ScriptError.self) { try Quotas(.of(text), at: "quotas") }
        #expect(error?.description.hasPrefix(says) == true)
    }
}
