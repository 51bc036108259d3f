import Daemon
import LocalStack

extension Command {
    static let sweep = Command(
        "sweep", summary: "ends and removes every stack under a folder, also after a crash of the one who started it",
        options: [.value("under", "FOLDER", "the temporary folder of that run", isRequired: true)]
    ) { arguments in
        await StackState.sweep(under: try arguments.required("under"))
    }
}
