import Daemon

await CommandTable.mobileDelivery.main(CommandLine.arguments)
