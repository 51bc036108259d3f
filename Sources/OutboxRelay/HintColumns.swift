import Postgres

/// Where `claim_hints` answers what.
struct HintColumns: Sendable {
    let id, leaseToken, entry, seq, life, crashes, claimedAt, deadline, createdAt, job, documentType, device: Column
    let tokenKind, sealed, sealingKey, fingerprint, registeredAt, expiresAt, traceparent: Column

    init(_ rows: Rows) throws(PostgresError) {
        id = try rows.column("id")
        leaseToken = try rows.column("lease_token")
        entry = try rows.column("entry")
        seq = try rows.column("seq")
        life = try rows.column("life")
        crashes = try rows.column("crashes")
        claimedAt = try rows.column("claimed_at")
        deadline = try rows.column("deadline")
        createdAt = try rows.column("created_at")
        job = try rows.column("job")
        documentType = try rows.column("document_type")
        device = try rows.column("device")
        tokenKind = try rows.column("token_kind")
        sealed = try rows.column("sealed")
        sealingKey = try rows.column("sealing_key")
        fingerprint = try rows.column("fingerprint")
        registeredAt = try rows.column("registered_at")
        expiresAt = try rows.column("expires_at")
        traceparent = try rows.column("traceparent")
    }
}
