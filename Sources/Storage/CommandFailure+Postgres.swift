public import Daemon
public import Postgres

extension CommandFailure {
    /// The one line for an end that the database brought about; `error` says what and where, `DATABASE_URL` what to mend.
    public init(_ error: PostgresError) {
        switch error.kind {
        case .malformedURL: self.init(.configuration, "DATABASE_URL: \(error)")
        case .unreachable, .unavailable, .connectionLost, .closed, .deadlineExceeded:
            self.init(.unavailable, "\(error); start it or correct DATABASE_URL")
        case .authenticationFailed, .missingRight: self.init(.noPermission, "\(error)")
        case .missingDatabase, .missingObject: self.init(.systemFile, "\(error)")
        case .conflict: self.init(.temporary, "\(error); run it again")
        case .constraint, .decoding, .server: self.init(.software, "\(error)")
        }
    }
}
