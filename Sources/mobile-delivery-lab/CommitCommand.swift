import Daemon
import Delivery
import DeviceFleet
import Messages
import Postgres
import Storage

extension Command {
    /// Prints one JSON line with the job's id once the transaction has committed.
    static let commit = Command(
        "commit", summary: "encrypts, signs and commits a JSON document for the devices of an account",
        options: [
            .value("database", "URL", "PostgreSQL as role md_producer", isRequired: true),
            .value("account", "NAME", "for whose devices", isRequired: true),
            .value("type", "TYPE", "RECEIPT or CREDIT_NOTE (RECEIPT)"),
            .value("document", "FILE", "the JSON object to encrypt", isRequired: true),
            .value("recipient", "NAME", "a downstream recipient; may be repeated, none = no fan-out"),
            .value("lifetime", "TIME", "from 1m to 90d (30d)"),
            .value("producer-key", "FILE", "key that signs; made if missing", isRequired: true),
            .value("job", "UUID", "the job's id (random)"),
        ]
    ) { arguments in
        let typeName = arguments.value(of: "type") ?? DocumentType.receipt.rawValue
        guard let type = DocumentType(rawValue: typeName) else {
            throw CommandFailure(.usage, "--type must be RECEIPT or CREDIT_NOTE, not '\(typeName)'")
        }
        let lifetimeText = arguments.value(of: "lifetime") ?? "30d"
        guard let lifetime = DurationText.parse(lifetimeText) else {
            throw CommandFailure(.usage, "--lifetime must be a time such as 1h or 30d, not '\(lifetimeText)'")
        }
        let path = try arguments.required("document")
        let document = try SettingsFile.bytes(path)
        guard (try? JSONValue(parsing: document))?.object != nil else {
            throw CommandFailure(.dataError, "\(path) is not a JSON object")
        }
        var commit = DocumentCommit(
            account: try arguments.required("account"), documentType: type, document: document,
            recipients: arguments.values(of: "recipient"), lifetime: lifetime,
            author: try AuthorKey.loadOrMake(arguments.required("producer-key")))
        if let text = arguments.value(of: "job") {
            guard let job = Identifier(text) else {
                throw CommandFailure(.usage, "--job must be a UUID, not '\(text)'")
            }
            commit.job = job
        }
        let devices = try await run(commit, on: try arguments.required("database"))
        print(
            String(
                decoding: JSONWriter.object {
                    $0.member("event", "committed")
                    $0.member("job", commit.job.description)
                    $0.member("account", commit.account)
                    $0.member("documentType", type.rawValue)
                    $0.member("devices", devices)
                }, as: UTF8.self))
    }

    private static func run(_ commit: DocumentCommit, on url: String) async throws -> Int {
        do {
            let connection = try await Connection.open(ConnectionSettings(url: url))
            let devices = try await commit.run(on: connection)
            await connection.close()
            return devices
        } catch let error as PostgresError {
            throw CommandFailure(error)
        }
    }
}
