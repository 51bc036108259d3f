import CPostgres

/// Sole owner of a `PGconn`.
///
/// @unchecked: used on the connection's reactor thread only; freed when nobody can reach it any more.
final class ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Begins to connect. Resolving a host name may block the calling thread, which is the connection's own.
    init?(starting settings: ConnectionSettings) {
        let keywords = settings.parameters.map(\.keyword)
        let values = settings.parameters.map(\.value)
        let pointer = withCStrings(keywords) { keywords in
            withCStrings(values) { values in PQconnectStartParams(keywords, values, 0) }
        }
        guard let pointer else { return nil }
        self.pointer = pointer
        // Verbose, because that is the only way to the SQLSTATE of a refused connection.
        PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
        PQsetNoticeReceiver(pointer, ignoreNotice, nil)
    }

    deinit { PQfinish(pointer) }

    var isBroken: Bool { PQstatus(pointer) == CONNECTION_BAD }
    var descriptor: Int32 { PQsocket(pointer) }
    /// One line at most: what libpq appends after it (location, hints) is dropped.
    var message: String {
        let text = String(cString: PQerrorMessage(pointer))
        return text.split(separator: "\n").first.map(String.init) ?? "no reason given"
    }

    func connectionFailure(to settings: ConnectionSettings) -> PostgresError {
        let text = String(cString: PQerrorMessage(pointer))
        if let state = PostgresError.sqlState(inVerbose: text) {
            let said = message.split(separator: "\(state): ").last.map(String.init) ?? message
            let error = PostgresError(
                sqlState: state, message: "\(settings) was refused: \(said.drop(while: { $0 == " " }))")
            // PgBouncer has one SQLSTATE for all that it refuses.
            if state == "08P01", said.contains("authentication failed") {
                return PostgresError(.authenticationFailed, error.message, sqlState: state)
            }
            // Refused for another reason than who we are and what we asked for: it is starting, stopping or full.
            if error.isConfigurationFault { return error }
            return PostgresError(.unreachable, error.message, sqlState: state)
        }
        return PostgresError(.unreachable, "PostgreSQL at \(settings.address) can't be reached: \(message)")
    }
}

/// Notices are the server talking to a person at a terminal; libpq would print them to stderr.
private func ignoreNotice(_: UnsafeMutableRawPointer?, _: OpaquePointer?) {}

/// A NULL-terminated array of C strings for the time of `body`.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for string in strings {
        offsets.append(bytes.count)
        bytes.append(contentsOf: string.utf8CString)
    }
    return bytes.withUnsafeBufferPointer { buffer in
        var pointers: [UnsafePointer<CChar>?] = offsets.map { buffer.baseAddress! + $0 }
        pointers.append(nil)
        return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
