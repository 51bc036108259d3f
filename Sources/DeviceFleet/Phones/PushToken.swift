import Cryptography
import Delivery
import DeviceKit

/// What the platform's push service would give the app; kept like the system keeps it, over restarts.
enum PushToken {
    private static let name = "push.token"

    static func loadOrMake(platform: Platform, in store: any WorkStore) async throws(WorkStoreError) -> String {
        if let bytes = try await store.value(name) { return String(decoding: bytes, as: UTF8.self) }
        let random = Hex.encode(RandomBytes.make(32))
        let token = platform == .ios ? random : "simulated-\(random)"
        try await store.setValue(name, Array(token.utf8))
        return token
    }
}
