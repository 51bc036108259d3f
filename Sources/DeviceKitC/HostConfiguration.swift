import Delivery
import Messages

/// The JSON object of `deviceKitOpen`.
struct HostConfiguration: Equatable {
    var store: String
    var platform: Platform
    var authority: String
    var app: String
    var environment: String
    var authors: [String: [UInt8]]

    init(_ json: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(json)
        store = try reader.string("store")
        platform = try reader.word("platform")
        authority = try reader.string("authority")
        app = try reader.string("app")
        environment = try reader.optionalString("environment") ?? ""
        authors = [:]
        guard let keys = reader.optional("authors")?.object else { throw .malformed("authors") }
        for (id, value) in keys {
            guard let text = value.string, let key = Base64.decode(text), key.count == 32 else {
                throw .malformed("authors")
            }
            authors[id] = key
        }
    }

    var route: Route {
        switch platform {
        case .ios: Route(provider: .apns, environment: environment, app: app)
        case .android: Route(provider: .fcm, environment: "", app: app)
        }
    }
}
