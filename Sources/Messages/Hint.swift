public import Delivery

/// Type `hint.v1`: what a sender needs to ring one phone for one job, published by the relay. Instants are epoch milliseconds.
public struct Hint: Equatable, Sendable {
    /// The provider token as the vault sealed it; only the sender opens it, at the last moment.
    public struct SealedToken: Equatable, Sendable {
        public var kind: TokenKind
        public var sealed: [UInt8]
        /// Id of the key that sealed it.
        public var key: String

        public init(kind: TokenKind, sealed: [UInt8], key: String) {
            self.kind = kind
            self.sealed = sealed
            self.key = key
        }
    }

    public var entry: Identifier
    public var seq: Int
    public var life: Int
    public var publishedAt: Int64
    /// No request is started so late that it could end after this.
    public var deadline: Int64
    public var job: Identifier
    public var documentType: DocumentType
    public var route: Route
    /// Associated data of the sealed token; never leaves for a provider.
    public var device: Identifier
    public var token: SealedToken
    public var fingerprint: Fingerprint
    public var registeredAt: Int64
    /// The job's expiry.
    public var expiresAt: Int64

    public init(
        entry: Identifier, seq: Int, life: Int, publishedAt: Int64, deadline: Int64, job: Identifier,
        documentType: DocumentType, route: Route, device: Identifier, token: SealedToken, fingerprint: Fingerprint,
        registeredAt: Int64, expiresAt: Int64
    ) {
        self.entry = entry
        self.seq = seq
        self.life = life
        self.publishedAt = publishedAt
        self.deadline = deadline
        self.job = job
        self.documentType = documentType
        self.route = route
        self.device = device
        self.token = token
        self.fingerprint = fingerprint
        self.registeredAt = registeredAt
        self.expiresAt = expiresAt
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.member("version", 1)
            $0.member("entry", entry)
            $0.member("seq", seq)
            $0.member("life", life)
            $0.member("publishedAt", publishedAt)
            $0.member("deadline", deadline)
            $0.member("job", job)
            $0.member("documentType", documentType.rawValue)
            $0.members(of: route)
            $0.member("device", device)
            $0.key("token")
            $0.object {
                $0.member("kind", token.kind.rawValue)
                $0.member("sealed", base64: token.sealed)
                $0.member("key", token.key)
            }
            $0.member("fingerprint", fingerprint)
            $0.member("registeredAt", registeredAt)
            $0.member("expiresAt", expiresAt)
        }
    }

    public init(decoding bytes: [UInt8]) throws(MessageError) {
        let reader = try JSONReader(bytes)
        try reader.version(1)
        let token = try reader.object("token")
        self.init(
            entry: try reader.identifier("entry"), seq: try reader.int("seq"), life: try reader.int("life"),
            publishedAt: try reader.integer("publishedAt"), deadline: try reader.integer("deadline"),
            job: try reader.identifier("job"), documentType: try reader.word("documentType"),
            route: try reader.route(), device: try reader.identifier("device"),
            token: SealedToken(
                kind: try token.word("kind"), sealed: try token.bytes("sealed"), key: try token.string("key")),
            fingerprint: try reader.fingerprint("fingerprint"), registeredAt: try reader.integer("registeredAt"),
            expiresAt: try reader.integer("expiresAt"))
    }
}
