import Daemon

await CommandTable.lab.main(CommandLine.arguments)
