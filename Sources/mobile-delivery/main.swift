import Daemon
import FoundationEssentials

await CommandTable.mobileDelivery.main(CommandLine.arguments, environment: ProcessInfo.processInfo.environment)
