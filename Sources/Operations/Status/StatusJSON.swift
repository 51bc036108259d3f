import AMQP
import Delivery
import Messages
import Postgres

/// `status --json`: one object, every number exact, durations in seconds, instants in ISO 8601.
extension OutboxStatus {
    public func json() -> [UInt8] {
        JSONWriter.object { object in
            object.member("at", now.isoText)
            object.key("counts")
            object.object {
                $0.seconds("age", countAge)
                $0.seconds("took", countTook)
            }
            object.key("routes")
            object.array { array in
                for line in lines { array.object { write(line, to: &$0) } }
            }
            writeQueues(to: &object)
            object.key("dead_letters")
            object.array { array in
                for count in deadLetters {
                    array.object {
                        $0.member("queue", count.queue)
                        $0.member("open", count.open)
                        $0.member("uninstalled", count.uninstalled)
                    }
                }
            }
            object.key("leases")
            object.array { array in
                for lease in leases {
                    array.object {
                        $0.member("owner", lease.owner?.description)
                        $0.member("leased", lease.leased)
                        $0.member("awaiting", lease.awaiting)
                    }
                }
            }
            object.key("database_connections")
            object.object { for session in sessions { $0.member(session.service, session.count) } }
            object.key("database")
            object.object { write(health, to: &$0) }
        }
    }

    /// A look that failed, so that who reads a watch line by line sees it.
    public static func json(fault: String) -> [UInt8] { JSONWriter.object { $0.member("fault", fault) } }

    private func write(_ line: RouteLine, to object: inout JSONWriter) {
        object.member("route", line.name)
        object.member("due", line.due)
        object.member("leased", line.leased)
        object.member("awaiting", line.awaiting)
        object.member("lapsed", line.lapsed)
        object.member("deferred", line.deferred)
        object.seconds("oldest_age", line.oldestAge)
        object.key("accepted_per_second")
        object.value(.decimal(Decimal.text(line.acceptedRate)))
        object.key("deferrals")
        object.array { array in
            for deferral in line.deferrals {
                array.object {
                    $0.member("reason", deferral.reason)
                    $0.member("rows", deferral.rows)
                    $0.member("next_due_at", deferral.nextDueAt.isoText)
                }
            }
        }
        guard line.route != nil else { return }
        line.writeHalves(to: &object)
    }

    private func writeQueues(to object: inout JSONWriter) {
        object.key("broker")
        object.object { object in
            object.member("answered", broker.fault == nil)
            object.member("fault", broker.fault)
            object.key("queues")
            object.array { array in
                for (name, answer) in broker.queues.sorted(by: { $0.key < $1.key }) where answer != .unknown {
                    array.object {
                        $0.member("queue", name)
                        $0.member("exists", answer != .missing)
                        $0.member("ready", answer.counts?.ready)
                        $0.member("consumers", answer.counts?.consumers)
                    }
                }
            }
        }
    }

    private func write(_ health: Health, to object: inout JSONWriter) {
        object.seconds("oldest_transaction_age", health.snapshotAge)
        object.member("oldest_transaction", health.snapshotAge == nil ? nil : health.snapshotOwner)
        object.member("due_dead_rows", health.deadRows)
        object.seconds("due_vacuumed_ago", health.vacuumedAgo)
        object.member("partitions", health.partitions)
        object.member("partitions_until", health.partitionsUntil?.isoText)
        object.member("stray_rows", health.hasStrayRows)
    }
}

extension RouteLine {
    /// What an operator wants of the route and what was seen of it.
    func writeHalves(to object: inout JSONWriter) {
        object.key("hand")
        object.object {
            $0.member("paused", hand.isPaused)
            $0.member("by", hand.by)
            $0.member("since", hand.since?.isoText)
            $0.member("reason", hand.reason)
        }
        object.key("seen")
        object.object {
            $0.member("paused", seen.isPaused)
            $0.member("reason", seen.reason)
            $0.member("since", seen.since?.isoText)
            $0.member("last_probe", seen.lastProbe?.isoText)
            $0.member("instance", seen.instance)
        }
    }
}
