/// What a client remembers of the addresses it connected to, so that connections spread over them and begin with one
/// that works.
struct AddressBook: Equatable {
    private struct Note: Equatable {
        /// Connections that live there now.
        var inUse = 0
        /// Failures since it last worked.
        var failures = 0
    }

    private var notes: [SocketAddress: Note] = [:]

    /// The order in which to try: families alternate (RFC 8305), the system's choice first; within a family the address
    /// with the fewest failures, then the one that carries the fewest connections.
    mutating func order(_ addresses: [SocketAddress]) -> [SocketAddress] {
        // A name that changes its addresses for years must not fill the book.
        let known = Set(addresses)
        notes = notes.filter { known.contains($0.key) || $0.value.inUse > 0 }
        guard let first = addresses.first else { return [] }
        let preferred = sorted(addresses.filter { $0.family == first.family })
        let others = sorted(addresses.filter { $0.family != first.family })
        var order: [SocketAddress] = []
        for index in 0..<max(preferred.count, others.count) {
            if index < preferred.count { order.append(preferred[index]) }
            if index < others.count { order.append(others[index]) }
        }
        // A family without a way out costs its head start once, not with every connection.
        if order.count > 1, failures(order[0]) > failures(order[1]) { order.swapAt(0, 1) }
        return order
    }

    mutating func opened(_ address: SocketAddress) { notes[address, default: Note()].inUse += 1 }

    mutating func closed(_ address: SocketAddress) { notes[address]?.inUse -= 1 }

    mutating func failed(_ address: SocketAddress) { notes[address, default: Note()].failures += 1 }

    mutating func worked(_ address: SocketAddress) { notes[address]?.failures = 0 }

    private func failures(_ address: SocketAddress) -> Int { notes[address]?.failures ?? 0 }

    /// Ties keep the system's order.
    private func sorted(_ addresses: [SocketAddress]) -> [SocketAddress] {
        func rank(_ address: SocketAddress) -> (Int, Int) {
            (failures(address), notes[address]?.inUse ?? 0)
        }
        return addresses.enumerated().sorted { one, other in
            let (left, right) = (rank(one.element), rank(other.element))
            return left == right ? one.offset < other.offset : left < right
        }.map(\.element)
    }
}
