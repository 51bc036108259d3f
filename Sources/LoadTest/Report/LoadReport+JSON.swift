import Delivery
import Messages

extension LoadReport {
    /// One object. Times are microseconds, rates are a second's.
    public var json: [UInt8] {
        JSONWriter.object {
            $0.member("kept", conservation.isKept)
            $0.member("drained", hasDrained)
            $0.member("seed", Int64(bitPattern: plan.seed))
            $0.member("arrivals", plan.shape.description)
            Self.member(&$0, "seconds", plan.seconds)
            $0.member("jobs", jobs)
            Self.member(&$0, "rate", acceptedRate)
            Self.member(&$0, "drainSeconds", drainSeconds)
            $0.key("versions")
            $0.object { for (name, value) in versions { $0.member(name, value) } }
            $0.key("tries")
            $0.array {
                for tried in tries {
                    $0.object {
                        Self.member(&$0, "jobsPerSecond", tried.rate)
                        $0.member("met", tried.isMet)
                        $0.member("p99", tried.p99)
                    }
                }
            }
            $0.key("conservation")
            $0.object { writeConservation(&$0) }
            $0.key("latency")
            Self.write(&$0, latencies)
            $0.key("quarters")
            $0.array { for part in parts { Self.write(&$0, part) } }
            if let growth = latencyGrowth { Self.member(&$0, "p99Growth", growth) }
            $0.key("memoryGrowth")
            $0.object { for (name, growth) in memoryGrowth { Self.member(&$0, name, growth) } }
            $0.key("processes")
            $0.object {
                for name in processes {
                    $0.key(name)
                    $0.object {
                        Self.member(&$0, "microsecondsOfAHint", processorTime(of: name))
                        $0.member("highestMemoryKiB", highestMemory(of: name))
                    }
                }
            }
            $0.key("samples")
            $0.array { for sample in samples { $0.object { Self.write(&$0, sample) } } }
        }
    }

    private func writeConservation(_ writer: inout JSONWriter) {
        writer.member("committed", conservation.committed)
        for word in Conservation.endWords { writer.member(word, conservation.end(word)) }
        writer.member("due", conservation.due)
        writer.member("deferred", conservation.deferred)
        writer.member("inFlight", conservation.inFlight)
        writer.member("acceptedAgain", conservation.allowedDoubles)
        writer.key("findings")
        writer.array {
            for finding in conservation.findings {
                $0.object {
                    $0.member("kind", finding.kind.rawValue)
                    $0.member("entry", finding.entry?.description)
                    $0.member("job", finding.job?.description)
                    $0.member("device", finding.device?.description)
                    $0.member("detail", finding.detail)
                }
            }
        }
    }

    private static func write(_ writer: inout JSONWriter, _ latencies: StageLatencies) {
        writer.object {
            for stage in latencies.stages {
                $0.key(stage.rawValue)
                $0.object {
                    $0.member("count", latencies[stage].count)
                    for (name, fraction) in StageLatencies.fractions {
                        $0.member(name, latencies[stage].quantile(fraction))
                    }
                }
            }
        }
    }

    private static func write(_ writer: inout JSONWriter, _ sample: Sample) {
        member(&writer, "at", sample.at)
        writer.member("intended", sample.intended)
        writer.member("committed", sample.committed)
        writer.member("published", sample.published)
        writer.member("sent", sample.sent)
        writer.member("accepted", sample.accepted)
        writer.member("due", sample.due)
        writer.member("deferred", sample.deferred)
        writer.member("leased", sample.leased)
        writer.member("p50", sample.recent.quantile(0.5))
        writer.member("p99", sample.recent.quantile(0.99))
        writer.key("queues")
        writer.object { for (name, ready) in sample.queues.sorted(by: { $0.key < $1.key }) { $0.member(name, ready) } }
        writer.key("processors")
        writer.object {
            for name in sample.processors.keys.sorted() { member(&$0, name, sample.processors[name] ?? 0) }
        }
        writer.key("memoryKiB")
        writer.object { for name in sample.memory.keys.sorted() { $0.member(name, sample.memory[name] ?? 0) } }
    }

    private static func member(_ writer: inout JSONWriter, _ name: String, _ number: Double) {
        writer.key(name)
        writer.value(.decimal(Figure.text(number, 4)))
    }
}
