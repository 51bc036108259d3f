import Delivery
import Messages

extension DeviceIdentity {
    private static let name = "identity"

    /// The stored one, or a new one that is stored before it is returned.
    static func loadOrMake(
        platform: Platform, in store: any WorkStore, random: any RandomSource
    ) async throws(WorkStoreError) -> DeviceIdentity {
        if let bytes = try await store.value(name) {
            guard let identity = try? DeviceIdentity(decoding: bytes) else { throw .damaged("identity") }
            return identity
        }
        let identity = DeviceIdentity(device: random.identifier(), platform: platform)
        try await identity.save(in: store)
        return identity
    }

    func save(in store: any WorkStore) async throws(WorkStoreError) {
        try await store.setValue(
            DeviceIdentity.name,
            JSONWriter.object {
                $0.member("device", device.description)
                $0.member("platform", platform.rawValue)
                $0.member("account", account)
            })
    }

    private init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        self.init(
            device: try reader.identifier("device"), platform: try reader.word("platform"),
            account: try reader.optionalString("account"))
    }
}
