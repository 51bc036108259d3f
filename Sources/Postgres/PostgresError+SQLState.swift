extension PostgresError {
    /// What the server reported for a statement.
    init(sqlState: String, message: String, position: Int? = nil, detail: String? = nil) {
        let (kind, advice): (Kind, String) =
            switch sqlState {
            case "28P01", "28000": (.authenticationFailed, "; are user and password right?")
            case "3D000": (.missingDatabase, "; create it first")
            case "42P01", "42883", "42703", "3F000": (.missingObject, "; run `mobile-delivery migrate` first")
            case "42501": (.missingRight, "; is DATABASE_URL that of the right role?")
            case "40001", "40P01": (.conflict, "")
            case _ where sqlState.hasPrefix("23"): (.constraint, "")
            case _ where sqlState.hasPrefix("08"): (.connectionLost, "")
            default: (.server, "")
            }
        self.init(kind, message + advice, sqlState: sqlState, position: position, detail: detail)
    }

    /// Server states that pass by themselves: resources short, shutting down or starting, cancelled, lock not available.
    static func isTransient(_ sqlState: String) -> Bool {
        sqlState.hasPrefix("53") || sqlState.hasPrefix("57") || sqlState == "55P03" || sqlState == "25P03"
    }

    /// The SQLSTATE in what libpq says of a refused connection when it is told to be verbose: `FATAL:  28P01: text`.
    static func sqlState(inVerbose text: String) -> String? {
        let parts = text.split(separator: ":", maxSplits: 8).map { $0.drop(while: { $0 == " " }) }
        return parts.first { part in
            part.utf8.count == 5 && part.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
                && part != "FATAL" && part != "ERROR" && part != "PANIC"
        }.map(String.init)
    }
}
