/// The newest elements of a sequence that never ends, each under its number. The oldest is overwritten.
struct Ring<Element> {
    private var elements: [Element] = []
    private let capacity: Int
    /// Of the newest element; the first one has 1.
    private(set) var last = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    mutating func append(_ element: Element) {
        if elements.count < capacity { elements.append(element) } else { elements[last % capacity] = element }
        last += 1
    }

    var first: Int { last - elements.count + 1 }

    /// At most `limit` with numbers above `number`.
    func after(_ number: Int, limit: Int) -> [(number: Int, element: Element)] {
        let start = max(first, number + 1)
        guard start <= last, limit > 0 else { return [] }
        return (start...min(last, start + min(limit, last) - 1)).map { ($0, elements[($0 - 1) % capacity]) }
    }
}
