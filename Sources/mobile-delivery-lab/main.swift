import Daemon
import FoundationEssentials

await CommandTable.lab.main(CommandLine.arguments, environment: ProcessInfo.processInfo.environment)
