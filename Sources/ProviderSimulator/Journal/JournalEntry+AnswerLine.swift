import HTTP2

extension JournalEntry {
    /// Appends `number microseconds delay status provider apns-id job token` and a line break; `-` stands for what the
    /// request does not have. A few dozen bytes where the journal's own line has two thousand: a load test reads all.
    func answerLine(number: Int, to line: inout [UInt8]) {
        var id: String?
        var job: String?
        var token: String?
        switch request.service {
        case .apns:
            id = request.fields.value(of: "apns-id")?.text
            job = request.fields.value(of: "apns-collapse-id")?.text
            token = request.path.lastIndex(of: "/").map { String(request.path[request.path.index(after: $0)...]) }
        case .fcm:
            job = Self.text(after: "\"jobId\":\"", in: request.body)
            token = Self.text(after: "\"token\":\"", in: request.body)
        case .oauth: break
        }
        let words = [
            "\(number)", "\(at * 1000 + fraction)", "\(delay)", isCut ? "0" : "\(status)", request.service.provider,
            Self.word(id), Self.word(job), Self.word(token),
        ]
        line += words.joined(separator: " ").utf8
        line.append(0x0A)
    }

    private static func word(_ text: String?) -> String {
        guard let text, !text.isEmpty, !text.utf8.contains(where: { $0 <= 0x20 }) else { return "-" }
        return text
    }

    /// What stands between `opening` and the next quotation mark: ids and tokens have no escapes.
    private static func text(after opening: StaticString, in body: [UInt8]) -> String? {
        let count = opening.utf8CodeUnitCount
        guard body.count > count else { return nil }
        return body.withUnsafeBufferPointer { units in
            for start in 0..<(units.count - count) where units[start] == opening.utf8Start[0] {
                guard (1..<count).allSatisfy({ units[start + $0] == opening.utf8Start[$0] }) else { continue }
                let rest = units[(start + count)...].prefix { $0 != UInt8(ascii: "\"") }
                return String(decoding: rest, as: UTF8.self)
            }
            return nil
        }
    }
}
