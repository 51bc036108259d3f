import Cryptography
import Delivery
import Messages

/// Body of a commit over HTTP, as a host backend sends it.
struct Draft {
    var body = RandomBytes.make(64)
    var version: Int64 = 1
    var devices: [Identifier]
    var documentType = "RECEIPT"

    func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("account", "account-1")
            $0.member("documentType", documentType)
            $0.member("body", base64: body)
            $0.member("bodyFormat", 1)
            $0.member("bodyDigest", base64: Digest.blake2b(body))
            $0.member("commitment", base64: [UInt8](repeating: 1, count: 32))
            $0.member("signature", base64: [UInt8](repeating: 2, count: 64))
            $0.member("signingKeyId", "author-1")
            $0.member("deviceSetVersion", version)
            $0.key("sealedKeys")
            $0.array {
                for device in devices {
                    $0.object {
                        $0.member("device", device.description)
                        $0.member("keyId", "k1")
                        $0.member("sealed", base64: [UInt8](repeating: 3, count: 80))
                    }
                }
            }
            $0.key("recipients")
            $0.array { $0.string("shop") }
        }
    }
}
