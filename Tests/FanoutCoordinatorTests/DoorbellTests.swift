import Delivery
import Messages
import Testing

@testable import FanoutCoordinator

struct `An event` {
    private static let job = Identifier.random()
    private static let device = Identifier.random()

    @Test(arguments: [
        (
            "job.submitted.v1", JobSubmitted(job: job, account: "a", device: device, at: 1).encoded(),
            Doorbell.submitted(job: job)
        ),
        ("job.cancelled.v1", JobCancelled(job: job, account: "a", at: 1).encoded(), .cancelled(job: job)),
        ("device.revoked.v1", DeviceRevoked(account: "a", device: device, at: 1).encoded(), .revoked(device: device)),
        ("job.completed.v1", JobCompleted(job: job, account: "a", at: 1).encoded(), .notForUs),
        ("something.new.v7", [], .notForUs),
    ])
    func `names the row to look at`(type: String, body: [UInt8], bell: Doorbell) throws {
        #expect(try Doorbell(type: type, body: body) == bell)
    }

    @Test(arguments: [
        ("job.submitted.v2", "{}", MessageError.unknownVersion(2)),
        ("device.revoked.vx", "{}", .malformed("type 'device.revoked.vx'")),
        ("", "{}", .malformed("type ''")),
    ])
    func `of a form that is not known is an error`(type: String, body: String, error: MessageError) {
        #expect(throws: error) { try Doorbell(type: type, body: Array(body.utf8)) }
    }

    @Test func `without its job is an error`() {
        #expect(throws: MessageError.self) {
            try Doorbell(type: "job.submitted.v1", body: Array(#"{"version":1,"account":"a","at":1}"#.utf8))
        }
    }
}
