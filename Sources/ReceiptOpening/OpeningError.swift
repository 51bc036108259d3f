/// Why a job is refused on the device; each is a reason of a nack.
public enum OpeningError: Error, Equatable, Sendable {
    case unknownVersion(UInt8)
    /// The box was not sealed to this key, or was damaged.
    case boxDoesNotOpen
    /// The box is good but made for another job, device or body.
    case boxOfAnother
    /// Key, box and job do not name one commitment.
    case commitmentMismatch
    /// The body is not what the digest says, or does not decrypt.
    case bodyDoesNotOpen
    case badPadding
    /// No pinned author key of that id verifies the signature.
    case authorUnknown
}
