/// What of a job is authenticated besides its body; sealing and opening lay the same bytes out with it.
public struct JobHeader: Equatable, Sendable {
    /// Sixteen bytes.
    public var job: [UInt8]
    /// As on the wire, for example "RECEIPT".
    public var documentType: String
    /// How the body is laid out; 1 = `JobBody`.
    public var format: Int

    public init(job: [UInt8], documentType: String, format: Int = JobBody.format) {
        precondition(job.count == 16 && (0...0xFFFF).contains(format))
        self.job = job
        self.documentType = documentType
        self.format = format
    }

    /// Associated data of the body (K1).
    public func associatedData(commitment: [UInt8]) -> [UInt8] {
        Array("md.job.v1".utf8) + job + ByteLayout.prefixed(documentType)
            + [UInt8(format >> 8), UInt8(format & 0xFF)] + commitment
    }

    /// What the producer signs and the device verifies (K7).
    public func signedBytes(commitment: [UInt8], bodyDigest: [UInt8]) -> [UInt8] {
        Array("md.author.v1".utf8) + job + ByteLayout.prefixed(documentType) + commitment + bodyDigest
    }
}
