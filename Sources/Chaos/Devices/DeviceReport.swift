import Messages

/// What one campaign of devices did and found.
public struct DeviceReport: Sendable {
    public let trouble: DeviceTrouble
    public let rounds: Int
    public let devices: Int
    public let took: Duration
    /// What should not be, in words; none if every promise held.
    public let faults: [String]
    /// What was counted, by a name.
    public let counts: [String: Int]

    public var hasPassed: Bool { faults.isEmpty }

    /// One line, and one for each of the first faults.
    public var text: String {
        let counted = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        let head =
            "\(hasPassed ? "passed" : "FAILED") \(trouble): rounds \(rounds), devices \(devices); \(counted); "
            + "\(took.components.seconds) s"
        let more = faults.count > 20 ? ["  and \(faults.count - 20) more"] : []
        return ([head] + faults.prefix(20).map { "  \($0)" } + more).joined(separator: "\n")
    }

    public var json: [UInt8] {
        JSONWriter.object {
            $0.member("campaign", trouble.rawValue)
            $0.member("passed", hasPassed)
            $0.member("rounds", rounds)
            $0.member("devices", devices)
            $0.member("seconds", Int(took.components.seconds))
            $0.key("counts")
            $0.object { for (name, count) in counts.sorted(by: { $0.key < $1.key }) { $0.member(name, count) } }
            $0.key("faults")
            $0.array { for fault in faults { $0.string(fault) } }
        }
    }
}
