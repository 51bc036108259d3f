import Delivery
import Messages

/// One request, recognised by method and raw path.
enum Call: Equatable {
    case device(DeviceCall)
    case producer(ProducerCall)

    var name: String {
        switch self {
        case .device(let call): call.name
        case .producer(let call): call.name
        }
    }

    /// Unknown path: 404, the same bytes as for an unknown job. Known path, other method: 405.
    init(method: String, path: Substring) throws(Problem) {
        guard path.hasPrefix("/v1/") else { throw Problem(.notFound) }
        let words = path.dropFirst(4).split(separator: "/" as Character, omittingEmptySubsequences: false)
            .map(String.init)
        let methods = Self.methods(words)
        guard !methods.isEmpty else { throw Problem(.notFound) }
        guard let call = methods.first(where: { $0.method == method })?.call else {
            var problem = Problem(.methodNotAllowed)
            problem.allow = methods.map(\.method).joined(separator: ", ")
            throw problem
        }
        self = call
    }

    private typealias Choice = (method: String, call: Call)

    private static func methods(_ words: [String]) -> [Choice] {
        guard let first = words.first else { return [] }
        let rest = Array(words.dropFirst())
        switch first {
        case "devices": return devices(rest)
        case "jobs": return jobs(rest)
        case "sync" where rest.isEmpty: return [("GET", .device(.sync))]
        case "sync" where rest == ["wait"]: return [("GET", .device(.wait))]
        case "producer": return producer(rest)
        default: return []
        }
    }

    private static func devices(_ words: [String]) -> [Choice] {
        switch words.count {
        case 0: return [("POST", .device(.enrol))]
        case 2 where words == ["me", "push-token"]:
            return [("PUT", .device(.registerToken)), ("DELETE", .device(.removeToken))]
        case 3 where words[0] == "me" && words[1] == "keys" && Naming.isKeyID(words[2]):
            return [("PUT", .device(.putKey(words[2])))]
        default: return []
        }
    }

    private static func jobs(_ words: [String]) -> [Choice] {
        guard let job = words.first.flatMap({ Identifier($0) }) else { return [] }
        switch words.count {
        case 1: return [("GET", .device(.fetch(job)))]
        case 2:
            switch words[1] {
            case "claim": return [("POST", .device(.claim(job)))]
            case "fanout-lease": return [("POST", .device(.acquire(job)))]
            case "ack": return [("POST", .device(.ack(job)))]
            case "nack": return [("POST", .device(.nack(job)))]
            default: return []
            }
        case 3:
            guard let epoch = epoch(words[2]) else { return [] }
            switch words[1] {
            case "fanout-lease":
                return [("PUT", .device(.renew(job, epoch: epoch))), ("DELETE", .device(.release(job, epoch: epoch)))]
            case "fanout": return [("PUT", .device(.submit(job, epoch: epoch)))]
            default: return []
            }
        case 5 where words[1] == "fanout" && words[3] == "parts" && Naming.isRecipient(words[4]):
            return epoch(words[2]).map {
                [("PUT", .device(.stagePart(job, epoch: $0, recipient: words[4])))]
            } ?? []
        default: return []
        }
    }

    /// One spelling of a number only: no sign, no zero in front.
    private static func epoch(_ word: String) -> Int64? {
        guard let epoch = Int64(word), epoch > 0, String(epoch) == word else { return nil }
        return epoch
    }

    private static func producer(_ words: [String]) -> [Choice] {
        guard words.count >= 2 else { return [] }
        switch (words[0], words.count) {
        case ("accounts", 3) where Naming.isAccount(words[1]) && words[2] == "enrolment-tickets":
            return [("POST", .producer(.ticket(account: words[1])))]
        case ("accounts", 3) where Naming.isAccount(words[1]) && words[2] == "devices":
            return [("GET", .producer(.devices(account: words[1])))]
        case ("accounts", 3) where Naming.isAccount(words[1]) && words[2] == "data":
            return [("DELETE", .producer(.eraseAccount(words[1])))]
        case ("jobs", 2) where words[1] == "cancel": return [("POST", .producer(.cancelRange))]
        case ("jobs", 2):
            guard let job = Identifier(words[1]) else { return [] }
            return [("PUT", .producer(.commit(job))), ("GET", .producer(.status(job)))]
        case ("jobs", 3) where words[2] == "cancel":
            return Identifier(words[1]).map { [("POST", .producer(.cancel($0)))] } ?? []
        case ("devices", 3) where words[2] == "data":
            return Identifier(words[1]).map { [("DELETE", .producer(.eraseDevice($0)))] } ?? []
        case ("devices", 2): return Identifier(words[1]).map { [("DELETE", .producer(.revoke($0)))] } ?? []
        default: return []
        }
    }
}
