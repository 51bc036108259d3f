import Delivery

/// Every hint of a test in a place of its own, with the instants that are known of it. Instants are microseconds from the
/// start by the machine's clock; 0 is one that did not come yet.
struct HintTable: Sendable {
    let arrivals: [Arrival]
    let accounts: [LoadAccount]
    /// Place of each job's first hint; the others follow in the order of the account's devices.
    private let first: [Int]
    private let jobs: [Identifier: Int]
    private let devices: [Identifier: (account: Int, position: Int)]
    private let tokens: [String: (account: Int, position: Int)]

    var committed: [Int64]
    var completed: [Int64]
    var hints: [Hint]

    /// What is known of one hint.
    struct Hint: Equatable, Sendable {
        var published: Int64 = 0
        var sent: Int64 = 0
        var accepted: Int64 = 0
        var recorded: Int64 = 0
        var fetched: Int64 = 0
        var persisted: Int64 = 0
        var acknowledged: Int64 = 0
        /// Requests that the provider accepted, and those that it refused for good because of the token.
        var acceptances: UInt8 = 0
        var refusals: UInt8 = 0
    }

    init(arrivals: [Arrival], accounts: [LoadAccount]) {
        self.arrivals = arrivals
        self.accounts = accounts
        var first: [Int] = []
        first.reserveCapacity(arrivals.count)
        var next = 0
        for arrival in arrivals {
            first.append(next)
            next += accounts[arrival.account].devices.count
        }
        self.first = first
        jobs = Dictionary(uniqueKeysWithValues: arrivals.enumerated().map { ($1.job, $0) })
        var devices: [Identifier: (account: Int, position: Int)] = [:]
        var tokens: [String: (account: Int, position: Int)] = [:]
        for (account, holder) in accounts.enumerated() {
            for (position, device) in holder.devices.enumerated() {
                devices[device.id] = (account, position)
                tokens[device.token] = (account, position)
            }
        }
        self.devices = devices
        self.tokens = tokens
        committed = Array(repeating: 0, count: arrivals.count)
        completed = Array(repeating: 0, count: arrivals.count)
        hints = Array(repeating: Hint(), count: next)
    }

    func job(_ id: Identifier) -> Int? { jobs[id] }

    /// Places of a job's hints.
    func places(of job: Int) -> Range<Int> {
        first[job]..<first[job] + accounts[arrivals[job].account].devices.count
    }

    func place(_ job: Identifier, device: Identifier) -> Int? { place(job, devices[device]) }

    func place(_ job: Identifier, token: String) -> Int? { place(job, tokens[token]) }

    private func place(_ job: Identifier, _ device: (account: Int, position: Int)?) -> Int? {
        guard let index = jobs[job], let device, arrivals[index].account == device.account else { return nil }
        return first[index] + device.position
    }

    /// How many hints the arrivals up to that instant make.
    func intended(by at: Int64) -> Int {
        var low = 0
        var high = arrivals.count
        while low < high {
            let middle = (low + high) / 2
            if arrivals[middle].at <= at { low = middle + 1 } else { high = middle }
        }
        return low < first.count ? first[low] : hints.count
    }
}
