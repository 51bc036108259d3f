import CPostgres
import Glibc

extension Connection {
    /// Sets a role's password. Only its SCRAM verifier is sent, so that no log of the server can hold the password.
    public func setPassword(_ password: String, of role: String) async throws(PostgresError) {
        if let refusal { throw refusal }
        guard let handle,
            let verifier = PQencryptPasswordConn(handle.pointer, password, role, "scram-sha-256"),
            let quotedRole = PQescapeIdentifier(handle.pointer, role, role.utf8.count),
            let quotedVerifier = PQescapeLiteral(handle.pointer, verifier, Int(strlen(verifier)))
        else { throw PostgresError(.server, "the password of \(role) can't be hashed") }
        let sql = "ALTER ROLE \(String(cString: quotedRole)) PASSWORD \(String(cString: quotedVerifier))"
        PQfreemem(verifier)
        PQfreemem(quotedRole)
        PQfreemem(quotedVerifier)
        try await execute("\(unescaped: sql)")
    }
}
