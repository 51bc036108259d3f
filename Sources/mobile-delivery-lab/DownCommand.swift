import Daemon
import FoundationEssentials
import LocalStack

extension Command {
    static let down = Command(
        "down", summary: "stops what `up` or `demo --keep` left running",
        options: [.value("state", "FILE", "what `up --state` wrote", isRequired: true)]
    ) { arguments in
        let path = try arguments.required("state")
        try await StackState.read(path).stop()
        try? FileManager.default.removeItem(atPath: path)
    }
}
