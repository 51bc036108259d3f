import FoundationEssentials
import HTTP2
import TokenSigning

@testable import ProviderSimulator

/// Simulated providers with everything that the cases need: keys of three more kinds, three more projects, low quotas.
struct PushClientSite {
    enum Key: String {
        /// Of the same team.
        case otherKey = "OTHERKEY01"
        case otherTeam = "OTHERTEAM1"
        case sandboxKey = "SANDBOXKEY"
    }

    static let topic = ProviderFolder(path: "").bundleID
    static let project = ProviderFolder(path: "").projectID
    static let otherProject = "project-of-others"
    static let disabledProject = "project-switched-off"
    static let busyProject = "project-with-small-quota"
    /// Requests a minute for one device.
    static let perDevice = 3

    static func signing(_ key: Key) -> String {
        let team = key == .otherTeam ? "OTHERTEAM1" : ProviderFolder.teamID
        return #"{"team":"\#(team)","keyId":"\#(key.rawValue)","keyFile":"\#(key.rawValue).p8"}"#
    }

    /// Of the same key as the first one.
    static func account(of project: String) -> String {
        #"{"project_id":"\#(project)","client_email":"\#(email(project))"}"#
    }

    private static func email(_ project: String) -> String { "sender@\(project).iam.gserviceaccount.com" }

    let folder: ProviderFolder
    let providers: SimulatedProviders

    static func start(_ cases: [PushClientCase]) async throws -> PushClientSite {
        let path = FileManager.default.temporaryDirectory.appending(path: "push-clients-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let folder = ProviderFolder(path: path)
        var configuration = try folder.prepare()
        for key in [Key.otherKey, .otherTeam, .sandboxKey] {
            let made = try PrivateKey.generate(.es256)
            try TextFile.write(made.pem, to: "\(path)/\(key.rawValue).p8")
            configuration.apnsKeys.append(
                APNSKey(
                    teamID: key == .otherTeam ? "OTHERTEAM1" : ProviderFolder.teamID, keyID: key.rawValue,
                    publicKey: try made.publicKey,
                    environments: key == .sandboxKey ? ["sandbox"] : ["production", "sandbox"]))
        }
        configuration.apnsKeys[0].topics?.append("com.example.other-of-ours")
        configuration.fcmProjects[0].reachesOtherPlatforms = false
        for project in [otherProject, disabledProject, busyProject] {
            var added = FCMProject(
                projectID: project, clientEmail: email(project), publicKey: configuration.fcmProjects[0].publicKey)
            added.isEnabled = project != disabledProject
            if project == busyProject { added.messagesPerMinute = 1 }
            configuration.fcmProjects.append(added)
        }
        configuration.quotas.apnsDevicePerMinute = perDevice
        configuration.quotas.fcmDevicePerMinute = perDevice
        configuration.apnsLimits.upload = .seconds(1)
        configuration.devices = cases.compactMap(\.device)
        configuration.script = try Script(["rules": .array(cases.compactMap(\.rule))], at: "script")
        let providers = try await SimulatedProviders.start(configuration)
        try folder.complete(providers.addresses)
        return PushClientSite(folder: folder, providers: providers)
    }

    /// What the program reads from its standard input.
    func orders(_ cases: [PushClientCase]) -> JSONValue {
        func port(_ url: String) -> JSONValue { .integer(Int64(url.split(separator: ":").last ?? "") ?? 0) }
        let account = TextFile.read(folder.serviceAccountFile) ?? ""
        return [
            "apnsProductionPort": port(providers.addresses.apnsProduction),
            "apnsSandboxPort": port(providers.addresses.apnsSandbox), "fcm": .string(providers.addresses.fcm),
            "caFile": .string(folder.authorityFile), "topic": .string(Self.topic),
            "team": .string(ProviderFolder.teamID), "keyId": .string(ProviderFolder.keyID),
            "keyFile": .string(folder.apnsKeyFile), "serviceAccount": .of(account),
            "cases": .array(cases.map(\.json)),
        ]
    }

    func end() async {
        await providers.stop()
        try? FileManager.default.removeItem(atPath: folder.path)
    }
}
