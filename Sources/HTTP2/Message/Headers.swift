/// Header fields in the order in which they travel.
///
/// All text is in one piece of memory, so that a request costs no more than two allocations here however many fields it
/// has, and one made from a template copies bytes and nothing else. Strings are made for who asks.
public struct Headers: Hashable, Sendable, ExpressibleByDictionaryLiteral, RandomAccessCollection {
    /// Where a field's name begins in `bytes`; its value follows without a gap.
    struct Place: Hashable {
        var start: Int32
        var name: Int32
        var value: Int32
        var isVolatile: Bool
    }

    private(set) var bytes: [UInt8]
    private(set) var places: [Place]

    public init(_ fields: [HeaderField] = []) { self.init(fields, room: fields.count) }

    /// With room for `room` fields of middling length.
    public init(_ fields: [HeaderField], room: Int) {
        bytes = []
        places = []
        if room > 0 {
            bytes.reserveCapacity(room * 48)
            places.reserveCapacity(room)
        }
        for field in fields { append(field) }
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HeaderField($0.0, $0.1) })
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { places.count }

    public subscript(position: Int) -> HeaderField {
        let place = places[position]
        let value = Int(place.start + place.name)
        return HeaderField(
            text(Int(place.start)..<value), text(value..<value + Int(place.value)), isVolatile: place.isVolatile)
    }

    // MARK: Without strings, for who sees many messages and looks at little of each

    /// Each name with its place, as a view that must not leave `body`.
    public func forEachName(_ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            for (index, place) in places.enumerated() {
                let start = Int(place.start)
                body(index, UnsafeBufferPointer(rebasing: bytes[start..<start + Int(place.name)]))
            }
        }
    }

    public func name(_ index: Int) -> FieldText {
        let start = Int(places[index].start)
        return FieldText(bytes: bytes[start..<start + Int(places[index].name)])
    }

    public func value(_ index: Int) -> FieldText {
        let start = Int(places[index].start + places[index].name)
        return FieldText(bytes: bytes[start..<start + Int(places[index].value)])
    }

    /// The value of the first field of that (lower-case) name.
    public func value(of name: StaticString) -> FieldText? {
        var found: Int?
        forEachName { index, candidate in
            if found == nil, name.isSame(candidate) { found = index }
        }
        return found.map(value)
    }

    // MARK: As strings

    /// The value of the first field of that (lower-case) name.
    public subscript(name: String) -> String? {
        var name = name
        return name.withUTF8 { wanted in
            bytes.withUnsafeBufferPointer { bytes in
                for place in places where Int(place.name) == wanted.count {
                    let value = Int(place.start + place.name)
                    guard bytes[Int(place.start)..<value].elementsEqual(wanted) else { continue }
                    return String(decoding: bytes[value..<value + Int(place.value)], as: UTF8.self)
                }
                return nil
            }
        }
    }

    public mutating func append(_ field: HeaderField) {
        append(field.name, field.value, isVolatile: field.isVolatile)
    }

    public mutating func append(_ name: String, _ value: String, isVolatile: Bool = false) {
        var (name, value) = (name, value)
        name.withUTF8 { name in value.withUTF8 { append(name, $0, isVolatile: isVolatile) } }
    }

    mutating func append(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, isVolatile: Bool = false
    ) {
        if bytes.isEmpty {
            // Most answers fit; growing step by step would copy all of it several times.
            bytes.reserveCapacity(160)
            places.reserveCapacity(4)
        }
        places.append(
            Place(
                start: Int32(bytes.count), name: Int32(name.count), value: Int32(value.count), isVolatile: isVolatile))
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
    }

    private func text(_ range: Range<Int>) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: $0[range], as: UTF8.self) }
    }
}
