import Delivery

/// The latest acceptances, so that a hint that comes again is answered without ringing the phone again (decision 3).
struct AcceptanceMemory {
    /// Entry and life: a replay, or a newer token, is another life and is sent.
    struct Key: Hashable {
        let entry: Identifier
        let life: Int
    }

    private let limit: Int
    private var ids: [Key: String?] = [:]
    /// In the order of acceptance; once full, a ring.
    private var order: [Key] = []
    private var oldest = 0

    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { ids.count }

    /// `id` is the provider's. The first acceptance of a key stays.
    mutating func accepted(_ key: Key, id: String?) {
        guard ids[key] == nil else { return }
        if order.count < limit {
            order.append(key)
        } else {
            ids[order[oldest]] = nil
            order[oldest] = key
            oldest = (oldest + 1) % limit
        }
        ids.updateValue(id, forKey: key)
    }

    /// nil if it is not remembered; `.some(nil)` if it is, without an id.
    func id(of key: Key) -> String?? { ids[key] }
}
