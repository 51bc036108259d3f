/// Who may send on a connection: any number of single statements, or one transaction alone. First come, first served: a
/// waiting transaction holds back the statements behind it.
struct Turnstile: Equatable {
    /// What the ids that were let in are.
    enum Admission: Equatable {
        case shared(UInt64)
        case exclusive(UInt64)
    }

    private(set) var holder: UInt64?
    private var waiting: [Admission] = []

    var isIdle: Bool { holder == nil && waiting.isEmpty }
    var waitingCount: Int { waiting.count }

    /// True if a single statement may be sent at once; else it waits.
    mutating func arrived(shared id: UInt64) -> Bool {
        if isIdle { return true }
        waiting.append(.shared(id))
        return false
    }

    /// True if the transaction has the connection at once; else it waits.
    mutating func arrived(exclusive id: UInt64) -> Bool {
        if isIdle {
            holder = id
            return true
        }
        waiting.append(.exclusive(id))
        return false
    }

    /// The transaction ended. Returns who goes in now, in order: statements up to and including the next transaction.
    mutating func left(exclusive id: UInt64) -> [Admission] {
        guard holder == id else { return [] }
        holder = nil
        return admit()
    }

    /// A waiter gave up. Those behind it may now go in, if nobody holds the connection.
    mutating func gaveUp(_ id: UInt64) -> [Admission] {
        waiting.removeAll { $0 == .shared(id) || $0 == .exclusive(id) }
        return holder == nil ? admit() : []
    }

    /// Everybody goes, the connection is gone.
    mutating func dissolve() -> [Admission] {
        defer { self = Turnstile() }
        return waiting
    }

    private mutating func admit() -> [Admission] {
        var admitted: [Admission] = []
        while let next = waiting.first {
            waiting.removeFirst()
            admitted.append(next)
            if case .exclusive(let id) = next {
                holder = id
                break
            }
        }
        return admitted
    }
}
