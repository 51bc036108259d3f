import HTTP2

/// The fields of a request that APNs looks at, found in one pass.
struct APNSHeaders {
    var authorization: String?
    var topic: String?
    var pushType: String?
    var priority: String?
    var expiration: String?
    var collapseID: String?
    var id: String?
    /// One of them came twice.
    var hasDuplicates = false

    init(_ fields: Headers) {
        for field in fields {
            let isFirst =
                switch field.name {
                case "authorization": Self.set(&authorization, field)
                case "apns-topic": Self.set(&topic, field)
                case "apns-push-type": Self.set(&pushType, field)
                case "apns-priority": Self.set(&priority, field)
                case "apns-expiration": Self.set(&expiration, field)
                case "apns-collapse-id": Self.set(&collapseID, field)
                case "apns-id": Self.set(&id, field)
                default: true
                }
            if !isFirst { hasDuplicates = true }
        }
    }

    private static func set(_ slot: inout String?, _ field: HeaderField) -> Bool {
        guard slot == nil else { return false }
        slot = field.value
        return true
    }
}
