import Delivery
import Messages
import Postgres

/// `outbox show --json`.
extension JobHistory {
    public func json(broker: BrokerAnswer) -> [UInt8] {
        JSONWriter.object { object in
            object.member("at", now.isoText)
            object.member("job", job.description)
            object.member("account", account)
            object.member("document_type", documentType)
            object.member("created_at", createdAt.isoText)
            object.member("expires_at", expiresAt.isoText)
            object.member("completed_at", completedAt?.isoText)
            object.member("expired_at", expiredAt?.isoText)
            object.member("cancelled_at", cancelledAt?.isoText)
            object.key("fanout")
            object.object { write(fanout, to: &$0) }
            object.key("entries")
            object.array { array in
                for entry in entries { array.object { write(entry, broker, to: &$0) } }
            }
            object.key("audit")
            object.array { array in
                for line in audit { array.object { write(line, to: &$0) } }
            }
        }
    }

    private func write(_ fanout: FanoutHistory, to object: inout JSONWriter) {
        object.member("recipients", recipients)
        object.member("lease", fanout.leaseState)
        object.member("holder", fanout.holder?.description)
        object.member("lease_until", fanout.leaseUntil?.isoText)
        object.member("submitted_at", fanout.submittedAt?.isoText)
        object.member("fanned_out_at", fanout.fannedOutAt?.isoText)
        object.member("resend_at", fanout.resendAt?.isoText)
    }

    private func write(_ entry: EntryHistory, _ broker: BrokerAnswer, to object: inout JSONWriter) {
        object.member("entry", entry.entry.description)
        object.member("device", entry.device.description)
        object.member("platform", entry.platform)
        object.member("device_active", entry.isDeviceActive)
        object.member("device_state", entry.deviceState)
        object.member("claimed_at", entry.claimedAt?.isoText)
        object.member("device_finished_at", entry.deviceFinishedAt?.isoText)
        object.member("failure_reason", entry.failureReason)
        object.member("late_ack_at", entry.lateAckAt?.isoText)
        object.member("state", entry.state)
        object.member("reason", entry.reason)
        object.member("provider_id", entry.providerID)
        object.member("finished_at", entry.finishedAt?.isoText)
        object.member("seq", entry.counters.seq)
        object.member("life", entry.counters.life)
        object.member("failures", entry.counters.failures)
        object.member("silences", entry.counters.silences)
        object.member("crashes", entry.counters.crashes)
        object.member("disputes", entry.counters.disputes)
        if let due = entry.due {
            object.key("due")
            object.object { write(due, to: &$0) }
        }
        object.key("tokens")
        object.array { array in
            for token in entry.tokens { array.object { write(token, to: &$0) } }
        }
        object.key("dead_letters")
        object.array { array in
            for letter in entry.letters { array.object { write(letter, to: &$0) } }
        }
        object.member("next", Forecast(history: self, entry: entry, broker: broker).sentence)
    }

    private func write(_ due: DueHistory, to object: inout JSONWriter) {
        object.member("phase", due.phase(at: now).rawValue)
        object.member("route", due.route)
        object.member("due_at", due.dueAt.isoText)
        object.member("first_failed_at", due.firstFailedAt?.isoText)
        object.member("lease_until", due.leaseUntil?.isoText)
        object.member("published_at", due.publishedAt?.isoText)
        object.member("lease_owner", due.owner?.description)
        object.member("last_error", due.lastError)
        object.member("route_paused_by_hand", due.hand.isPaused)
    }

    private func write(_ token: TokenHistory, to object: inout JSONWriter) {
        object.member("fingerprint", token.fingerprint.short)
        object.member("route", token.route)
        object.member("state", token.state)
        object.member("state_reason", token.stateReason)
        object.member("state_at", token.stateAt.isoText)
        object.member("registered_at", token.registeredAt.isoText)
        object.member("not_before", token.notBefore?.isoText)
        object.member("judge_at", token.judgeAt?.isoText)
    }

    private func write(_ letter: DeadLetterHistory, to object: inout JSONWriter) {
        object.member("number", letter.number)
        object.member("queue", letter.queue)
        object.member("seq", letter.seq)
        object.member("reason", letter.reason)
        object.member("state", letter.state)
        object.member("recorded_at", letter.recordedAt.isoText)
        object.member("repeats", letter.repeats)
    }

    private func write(_ line: AuditLine, to object: inout JSONWriter) {
        object.member("at", line.at.isoText)
        object.member("actor", line.actor)
        object.member("action", line.action)
        object.member("subject", line.subject)
        object.member("result", line.result)
        object.member("rows", line.rows)
    }
}
