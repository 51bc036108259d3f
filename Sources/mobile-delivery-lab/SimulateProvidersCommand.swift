import Daemon
import Glibc
import HTTP2
import ProviderSimulator
import TokenSigning

extension Command {
    /// Says where it listens in one JSON line on standard output, then runs until SIGTERM.
    static let simulateProviders = Command(
        "simulate providers", summary: "APNs, FCM and Google's token endpoint, as strict as the real ones",
        options: [
            .value(
                "directory", "DIR", "folder for certificates, keys and an apps file; made there if missing",
                isRequired: true),
            .value("app", "NAME", "name of the app in the apps file (cheqi)"),
            .value("configuration", "FILE", "JSON: ports, further keys and projects, devices, script"),
            .value("script", "FILE", "JSON: the script in force from the start"),
            .value("journal", "FILE", "every request is appended as a line of JSON; - is standard output"),
            .value("deliveries", "FILE", "the same for what reaches phones"),
        ]
    ) { arguments in
        let folder = ProviderFolder(
            path: try arguments.required("directory"), app: arguments.value(of: "app") ?? "cheqi")
        let configuration = try configuration(folder, arguments)
        try await DaemonMain.run("simulate-providers") { context in
            try context.environment.finish()
            let service = ServiceTask("providers") {
                let providers = try await start(configuration)
                try folder.complete(providers.addresses)
                announce(providers.addresses, folder)
                await Shutdown.current.wait()
                await providers.stop()
            }
            return [service]
        }
    }
}

private func configuration(_ folder: ProviderFolder, _ arguments: ParsedArguments) throws -> SimulatorConfiguration {
    do {
        var configuration = try folder.prepare()
        if let path = arguments.value(of: "configuration") { try configuration.read(path) }
        if let path = arguments.value(of: "script") { configuration.script = try Script(file: path) }
        configuration.journalFile = arguments.value(of: "journal")
        configuration.deliveriesFile = arguments.value(of: "deliveries")
        return configuration
    } catch let error as ScriptError {
        throw CommandFailure(.configuration, error.description)
    } catch let error as TokenSigningError {
        throw CommandFailure(.configuration, "\(folder.path): \(error); remove the key file to have a new one made")
    }
}

private func start(_ configuration: SimulatorConfiguration) async throws -> SimulatedProviders {
    do {
        return try await SimulatedProviders.start(configuration)
    } catch let error as ScriptError {
        throw CommandFailure(.configuration, error.description)
    } catch let error as HTTP2Error {
        throw CommandFailure(.unavailable, "\(error.description); set another port in the configuration")
    }
}

private func announce(_ addresses: SimulatedProviders.Addresses, _ folder: ProviderFolder) {
    let line: JSONValue = [
        "message": "providers listening", "control": .string(addresses.control),
        "apnsProduction": .string(addresses.apnsProduction), "apnsSandbox": .string(addresses.apnsSandbox),
        "fcm": .string(addresses.fcm), "oauth": .string(addresses.oauth), "caFile": .string(folder.authorityFile),
        "appsFile": .string(folder.appsFile), "app": .string(folder.app), "bundleId": .string(folder.bundleID),
        "projectId": .string(folder.projectID),
    ]
    let bytes = line.bytes + [0x0A]
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
