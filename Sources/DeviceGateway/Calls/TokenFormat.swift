import Delivery
import Messages

/// Whether a text can be a push token at all, so that nonsense is refused before it costs a provider's patience.
enum TokenFormat {
    static func isValid(_ token: String, provider: Provider, kind: TokenKind) -> Bool {
        switch (provider, kind) {
        // Apple promises no length; today it is 64 digits.
        case (.apns, .token):
            (64...200).contains(token.utf8.count) && token.utf8.count % 2 == 0 && Hex.decode(token) != nil
        case (.apns, .fid): false
        case (.fcm, .token): (32...4096).contains(token.utf8.count) && isPrintable(token)
        case (.fcm, .fid): (16...256).contains(token.utf8.count) && isPrintable(token)
        }
    }

    private static func isPrintable(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
