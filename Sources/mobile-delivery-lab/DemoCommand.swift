import Daemon
import Glibc
import LocalStack

extension Command {
    static let demo = Command(
        "demo", summary: "shows one receipt and one credit note on their whole way, on private servers",
        options: [.flag("keep", "leave everything running and print the addresses")]
    ) { arguments in
        let demo = Demo(
            try Programs.besideThisOne(topology: LabEnvironment.topologyFolder),
            temporary: LabEnvironment.temporaryFolder, keeps: arguments.has("keep"),
            console: Console(isTerminal: isatty(STDOUT_FILENO) == 1))
        try await Interrupts.handled { try await demo.run($0) }
    }
}
