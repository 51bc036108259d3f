import HTTP2

/// The fields of a request that APNs looks at, found in one pass.
struct APNSHeaders {
    private let fields: Headers
    /// Places of the fields.
    private var places = Places()
    /// One of them came twice.
    private(set) var hasDuplicates = false

    private struct Places {
        var authorization: Int?
        var topic: Int?
        var pushType: Int?
        var priority: Int?
        var expiration: Int?
        var collapseID: Int?
        var id: Int?
    }

    init(_ fields: Headers) {
        self.fields = fields
        var places = Places()
        var hasDuplicates = false
        fields.forEachName { index, name in
            guard name.first == UInt8(ascii: "a") else { return }
            let isFirst =
                if ("authorization" as StaticString).isSame(name) {
                    Self.set(&places.authorization, index)
                } else if ("apns-topic" as StaticString).isSame(name) {
                    Self.set(&places.topic, index)
                } else if ("apns-push-type" as StaticString).isSame(name) {
                    Self.set(&places.pushType, index)
                } else if ("apns-priority" as StaticString).isSame(name) {
                    Self.set(&places.priority, index)
                } else if ("apns-expiration" as StaticString).isSame(name) {
                    Self.set(&places.expiration, index)
                } else if ("apns-collapse-id" as StaticString).isSame(name) {
                    Self.set(&places.collapseID, index)
                } else if ("apns-id" as StaticString).isSame(name) {
                    Self.set(&places.id, index)
                } else {
                    true
                }
            if !isFirst { hasDuplicates = true }
        }
        self.places = places
        self.hasDuplicates = hasDuplicates
    }

    private static func set(_ slot: inout Int?, _ index: Int) -> Bool {
        guard slot == nil else { return false }
        slot = index
        return true
    }

    var authorization: FieldText? { places.authorization.map(fields.value) }
    var topic: FieldText? { places.topic.map(fields.value) }
    var pushType: FieldText? { places.pushType.map(fields.value) }
    var priority: FieldText? { places.priority.map(fields.value) }
    var expiration: FieldText? { places.expiration.map(fields.value) }
    var collapseID: FieldText? { places.collapseID.map(fields.value) }
    var id: FieldText? { places.id.map(fields.value) }
}
