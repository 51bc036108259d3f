import Delivery

/// A line of the simulator's `GET /answers`: one request and what the provider made of it.
struct Answer: Equatable, Sendable {
    let number: Int
    /// Epoch microseconds at which it came.
    let at: Int64
    /// Milliseconds until it was answered.
    let delay: Int64
    /// 0 if it was broken off before the provider accepted anything.
    let status: Int
    /// APNs is told the entry; FCM is not.
    let entry: Identifier?
    let job: Identifier
    let token: String

    /// nil for what is no hint: requests for credentials.
    init?(_ line: some Collection<UInt8>) {
        let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 8, let number = Int(words[0]), let at = Int64(words[1]), let delay = Int64(words[2]),
            let status = Int(words[3]), let job = Identifier(words[6]), words[7] != "-"
        else { return nil }
        self.number = number
        self.at = at
        self.delay = delay
        self.status = status
        self.job = job
        entry = Identifier(words[5])
        token = words[7]
    }

    /// The number alone, which also a line has that is about no hint.
    static func number(of line: some Collection<UInt8>) -> Int? {
        Int(String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }
}
