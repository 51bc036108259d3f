/// Why a device gives a job up for good (a nack). The server records the word and treats all alike.
public enum FailureReason: String, Hashable, Sendable, CaseIterable {
    /// The sealed box does not open with the key it names, or names another job, device or body.
    case cannotDecrypt = "cannot-decrypt"
    /// The key that the box is sealed to is gone from the device.
    case keyMissing = "key-missing"
    /// The three commitments differ: one ciphertext for two receipts.
    case commitmentMismatch = "commitment-mismatch"
    /// No pinned author key verifies the signature.
    case authorUnknown = "author-unknown"
    /// The decrypted document is not one this app can generate from.
    case documentInvalid = "document-invalid"
}
