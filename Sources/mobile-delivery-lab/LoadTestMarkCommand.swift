import Daemon
import LoadTest

extension Command {
    static let loadTestMark = Command(
        "loadtest mark", summary: "says of a database that load tests may fill it and send to every token in it",
        options: [.value("database", "URL", "with the owner of the schema as user", isRequired: true)]
    ) { arguments in
        try await LoadMark.set(on: try arguments.required("database"))
    }
}
