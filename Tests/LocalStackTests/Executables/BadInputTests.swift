import FoundationEssentials
import LocalStack
import TestSupport
import Testing

/// A wrong input ends a command with one line that says what, where and what to do, and a status of sysexits.
extension StackTests {
    @Test(arguments: BadInput.allCases)
    fileprivate func `a wrong input ends with one line and a status of its own`(_ input: BadInput) async throws {
        let stack = try await BadInput.surroundings()
        var environment = stack.environment(of: input.service ?? .relay)
        if input.service == nil {
            environment["DATABASE_URL"] = stack.site.databaseURL
            environment["MOBILE_DELIVERY_TOPOLOGY_DIRECTORY"] = "\(Repository.root)/topology"
            environment["MOBILE_DELIVERY_APPS_FILE"] = stack.providers.appsFile
        }
        environment.merge(input.wrong(stack.site)) { _, wrong in wrong }
        let run = try await ProgramRun.of(
            stack.site.programs.mobileDelivery, input.arguments, environment: environment, within: .seconds(60))

        guard case .exited(let status) = run.termination else {
            Issue.record("not ended by itself: \(String(describing: run.termination))\n\(run.output.suffix(2000))")
            return
        }
        #expect(input.statuses.contains(status), "status \(status), \(run.complaints)")
        #expect(run.complaints.count == 1, "\(run.complaints)")
        let line = run.complaints.first ?? ""
        #expect(line.hasPrefix("mobile-delivery: "))
        #expect(line.contains(input.word), "\(line)")
        #expect(!line.contains(stack.site.servers.servicePassword))
        #expect(!run.output.contains(stack.site.servers.servicePassword))
    }
}

/// One row of the table: what is wrong, in which command, and what its line must name.
private enum BadInput: String, CaseIterable, CustomTestStringConvertible {
    case unknownCommand
    case unknownOption
    case malformedDatabaseURL
    case malformedBrokerURL
    case unreachableDatabase
    case unreachableManagement
    case wrongDatabasePassword
    case wrongDatabasePasswordOfService
    case wrongBrokerPassword
    case missingTable
    case missingQueue
    case missingVirtualHost
    case unreadableAppsFile
    case unreadableKeyFile
    case unreadableTokenKeys
    case malformedSetting

    var testDescription: String { rawValue }

    /// nil for a tool.
    var service: ServiceKind? {
        switch self {
        case .unknownCommand, .unreachableDatabase, .unreachableManagement, .wrongDatabasePassword: nil
        case .unknownOption, .malformedDatabaseURL, .wrongDatabasePasswordOfService, .missingTable: .relay
        case .missingQueue, .malformedBrokerURL, .wrongBrokerPassword, .missingVirtualHost: .fcmSender
        case .unreadableAppsFile, .unreadableKeyFile, .unreadableTokenKeys: .apnsSender
        case .malformedSetting: .gateway
        }
    }

    var arguments: [String] {
        switch self {
        case .unknownCommand: ["relais"]
        case .unknownOption: ["relay", "--faster"]
        case .unreachableDatabase, .wrongDatabasePassword: ["migrate"]
        case .unreachableManagement: ["topology", "check", "--without-users"]
        default: [service?.rawValue ?? ""]
        }
    }

    var statuses: ClosedRange<Int32> {
        switch self {
        case .unknownCommand, .unknownOption: 64...64
        case .malformedDatabaseURL, .malformedBrokerURL, .malformedSetting: 78...78
        case .unreachableDatabase, .unreachableManagement: 69...69
        case .wrongDatabasePassword, .wrongDatabasePasswordOfService, .wrongBrokerPassword: 77...77
        default: 65...78
        }
    }

    /// What the line must say.
    var word: String {
        switch self {
        case .unknownCommand: "relais"
        case .unknownOption: "--faster"
        case .malformedDatabaseURL: "DATABASE_URL"
        case .malformedBrokerURL: "AMQP_URL"
        case .unreachableDatabase: "127.0.0.1:1"
        case .unreachableManagement: "MOBILE_DELIVERY_MANAGEMENT_URL"
        case .wrongDatabasePassword, .wrongDatabasePasswordOfService: "password"
        case .wrongBrokerPassword: "fcm-sender"
        case .missingTable: "migrate"
        case .missingQueue: "hints.fcm.elsewhere"
        case .missingVirtualHost: "nowhere"
        case .unreadableAppsFile: "/nonexistent/apps.json"
        case .unreadableKeyFile: "/nonexistent/key.p8"
        case .unreadableTokenKeys: "/nonexistent/keys.json"
        case .malformedSetting: "MOBILE_DELIVERY_GATEWAY_LISTEN"
        }
    }

    /// The variables that are wrong.
    func wrong(_ site: StackSite) -> [String: String] {
        let apps = "\(site.folder)/providers/wrong-\(rawValue).json"
        switch self {
        case .unknownCommand, .unknownOption: return [:]
        case .malformedDatabaseURL: return ["DATABASE_URL": "postgres:/localhost"]
        case .malformedBrokerURL: return ["AMQP_URL": "rabbit://localhost"]
        case .unreachableDatabase: return ["DATABASE_URL": "postgres://postgres:x@127.0.0.1:1/postgres"]
        case .unreachableManagement:
            return ["MOBILE_DELIVERY_MANAGEMENT_URL": "http://a:b@127.0.0.1:1", "MOBILE_DELIVERY_VIRTUAL_HOST": "x"]
        case .wrongDatabasePassword, .wrongDatabasePasswordOfService:
            return [
                "DATABASE_URL": site.databaseURL(as: "md_relay").replacing(site.servers.servicePassword, with: "no")
            ]
        case .wrongBrokerPassword:
            return ["AMQP_URL": site.amqpURL(as: "fcm-sender").replacing(site.servers.servicePassword, with: "no")]
        case .missingTable: return ["DATABASE_URL": site.servers.postgres.url]
        case .missingQueue:
            copyApps(site, to: apps) { $0.replacing("\"cheqi\"", with: "\"elsewhere\"") }
            return ["MOBILE_DELIVERY_APPS_FILE": apps]
        case .missingVirtualHost: return ["AMQP_URL": site.amqpURL(as: "fcm-sender") + "nowhere"]
        case .unreadableAppsFile: return ["MOBILE_DELIVERY_APPS_FILE": "/nonexistent/apps.json"]
        case .unreadableKeyFile:
            copyApps(site, to: apps) {
                $0.replacing(/"keyFile"\s*:\s*"[^"]*"/, with: #""keyFile":"/nonexistent/key.p8""#)
            }
            return ["MOBILE_DELIVERY_APPS_FILE": apps]
        case .unreadableTokenKeys: return ["MOBILE_DELIVERY_TOKEN_KEYS_FILE": "/nonexistent/keys.json"]
        case .malformedSetting: return ["MOBILE_DELIVERY_GATEWAY_LISTEN": "everywhere"]
        }
    }

    private func copyApps(_ site: StackSite, to path: String, _ change: (String) -> String) {
        let original = FileManager.default.contents(atPath: "\(site.folder)/providers/apps.json") ?? Data()
        let text = change(String(decoding: original, as: UTF8.self))
        _ = FileManager.default.createFile(atPath: path, contents: Data(text.utf8))
    }

    /// Servers with schema and topology, but no service; one for all rows.
    static func surroundings() async throws -> Stack { try await Shared.instance.stack() }

    private actor Shared {
        static let instance = Shared()
        private var task: Task<Stack, any Error>?

        func stack() async throws -> Stack {
            let servers = try #require(PrivateServers.current)
            let task =
                task
                ?? Task {
                    let programs = try ProgramRun.programs()
                    return try await Stack.start(StackSite(servers, programs, name: "bad_input"), copies: 0)
                }
            self.task = task
            return try await task.value
        }
    }
}
