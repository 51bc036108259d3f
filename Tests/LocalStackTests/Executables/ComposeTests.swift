import LocalStack
import TestSupport
import Testing
import Topology

/// `compose.yaml` names only what exists.
@Suite(.timeLimit(.minutes(2))) struct ComposeTests {
    private struct Service {
        var image = ""
        var command: [String] = []
        var variables: [String] = []
    }

    @Test func `every command and option in it exists`() async throws {
        let programs = try ProgramRun.programs()
        let images = ["mobile-delivery": programs.mobileDelivery, "mobile-delivery-lab": programs.lab]
        let ours = try await services().filter { images[$0.value.image] != nil }
        #expect(ours.count >= 9)
        for (name, service) in ours {
            // With --help a command line is read to its end, and nothing runs.
            let run = try await ProgramRun.of(try #require(images[service.image]), service.command + ["--help"])
            #expect(run.termination == .exited(0), "\(name): \(run.complaints)")
        }
    }

    @Test func `every service has its place in it`() async throws {
        let services = try await services()
        for kind in ServiceKind.allCases { #expect(services[kind.rawValue]?.command == [kind.rawValue]) }
    }

    @Test func `every variable in it is a setting`() async throws {
        let sources = try Repository.files(under: "Sources", suffix: ".swift").map(Repository.text).joined()
        let passwords = try TopologyFiles(directory: "\(Repository.root)/topology").users()
            .map { BrokerSetup.passwordSetting(of: $0.name) }
        for (name, service) in try await services() {
            for variable in service.variables where variable.hasPrefix("MOBILE_DELIVERY_") {
                let setting = variable.hasSuffix("_FILE") ? String(variable.dropLast(5)) : variable
                #expect(
                    sources.contains("\"\(variable)\"") || sources.contains("\"\(setting)\"")
                        || passwords.contains(variable),
                    "\(name): \(variable)")
            }
        }
    }

    /// What `docker-compose config` makes of the file: one way of writing everything, two blanks a level.
    private func services() async throws -> [String: Service] {
        let run = try await ProgramRun.of(
            "/usr/bin/docker-compose",
            [
                "--file", "\(Repository.root)/compose.yaml", "--env-file", "\(Repository.root)/compose.env.example",
                "--profile", "simulator", "config",
            ])
        try #require(run.termination == .exited(0), "\(run.complaints)")
        var services: [String: Service] = [:]
        var section = ""
        var name = ""
        var key = ""
        for line in run.output.split(separator: "\n") {
            let text = line.drop { $0 == " " }
            switch line.count - text.count {
            case 0: section = String(text)
            case 2 where section == "services:": name = String(text.dropLast())
            case 4 where section == "services:":
                if text.hasPrefix("- ") {
                    if key == "command" { services[name, default: Service()].command.append(String(text.dropFirst(2))) }
                } else {
                    key = String(text.prefix { $0 != ":" })
                }
                if key == "image" { services[name, default: Service()].image = String(text.dropFirst(7)) }
            case 6 where key == "environment":
                services[name, default: Service()].variables.append(String(text.prefix { $0 != ":" }))
            default: break
            }
        }
        return services
    }
}
