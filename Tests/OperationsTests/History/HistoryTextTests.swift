import Delivery
import Messages
import Testing

@testable import Operations

struct HistoryTextTests {
    @Test func `a history fits into 80 columns and says what comes next`() {
        let text = HistoryText.text(HistorySample.deferred, broker: HistorySample.broker(), style: .plain)
        #expect(
            text == """
                job 5e1f0c3a-7d2b-4c4e-9a6f-0123456789ab
                  document   RECEIPT of account account-1
                  committed  2026-12-01 03:00:12Z (12m33s ago)
                  expires    2026-12-31 03:00:12Z (in 29d23h)
                  state      open, 1 of 1 device shown here pending
                  fan-out    not required

                entry 0a0b0c0d-0e0f-4a0b-8c0d-0e0f0a0b0c0d
                  device     d0d1d2d3-d4d5-4dd6-8dd7-d8d9dadbdcdd (ios, active)
                  job there  pending
                  state      pending, deferred, until 2026-12-01 03:13:27Z (in 42s)
                  counters   seq 3, life 1, failures 2, silences 0, crashes 0, disputes 0
                  route      apns.production.cheqi
                  last       deferred 503 ServiceUnavailable
                  failing    since 2026-12-01 03:00:25Z (12m20s ago)
                  token      a1a1a1a1 active, apns.production.cheqi, registered 2026-11-30
                             03:12:45Z (1d00h ago)
                             b2b2b2b2 replaced (registered anew) 2026-11-30 03:12:45Z (1d00h
                             ago), apns.production.cheqi, registered 2026-11-19 13:26:06Z
                             (11d13h ago)
                  letter     17 in outbox, seq 2, replayed: silent, 2026-12-01 03:01:05Z (11m40s
                             ago)
                  next       In 42s (2026-12-01 03:13:27Z) it is due again; then a relay claims
                             it within a second and publishes it to hints.apns.production.cheqi.

                changes by hand since its commit that may have been about it
                  2026-12-01 03:07:45Z anna@ops1: outbox retry-now route apns.production.cheqi
                    (done, 1,200 rows)

                """)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func `a job that fans out says how far it came`() {
        var history = HistorySample.deferred
        history.recipients = 2
        func fanout(_ change: (inout FanoutHistory) -> Void) -> String {
            history.fanout = FanoutHistory()
            change(&history.fanout)
            let text = HistoryText.text(history, broker: .notAsked, style: .plain)
            return String(text.split(separator: "\n").first { $0.hasPrefix("  fan-out") }?.dropFirst(13) ?? "")
        }
        #expect(fanout { $0.leaseState = "open" } == "to 2 recipients: open, nobody has submitted")
        let held = fanout {
            $0.leaseState = "held"
            $0.holder = HistorySample.device
            $0.leaseUntil = HistorySample.ago(-9)
        }
        #expect(held.hasPrefix("held by device d0d1d2d3-"))
        #expect(fanout { $0.submittedAt = HistorySample.ago(9) }.hasSuffix("(9s ago), not published yet"))
        #expect(fanout { $0.fannedOutAt = HistorySample.ago(9) }.hasPrefix("published to 2 recipients"))
        #expect(fanout { $0.resendAt = HistorySample.ago(9) }.hasPrefix("to 2 recipients again, asked for"))
    }

    @Test func `as JSON it has every field`() throws {
        let json = try JSONValue(parsing: HistorySample.deferred.json(broker: HistorySample.broker()))
        let entry = try #require(json["entries"]?.array?.first)
        #expect(json["job"]?.string == HistorySample.job.description && json["fanout"]?["recipients"]?.integer == 0)
        #expect(entry["due"]?["phase"]?.string == "deferred" && entry["seq"]?.integer == 3)
        #expect(
            entry["tokens"]?.array?.count == 2 && entry["tokens"]?.array?.first?["fingerprint"]?.string == "a1a1a1a1")
        #expect(entry["dead_letters"]?.array?.first?["number"]?.integer == 17)
        #expect(entry["next"]?.string?.hasPrefix("In 42s") == true)
        #expect(json["audit"]?.array?.first?["rows"]?.integer == 1200)
    }
}
