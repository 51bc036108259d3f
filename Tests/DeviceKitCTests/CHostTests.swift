import Cryptography
import DeviceFleet
import DeviceKit
import FoundationEssentials
import LocalStack
import Messages
import TestSupport
import Testing

@Suite struct CHostTests {
    @Test func `a host in C enrols, works on a hint and acknowledges, each in a process of its own`() async throws {
        try await withStack { stack, author in
            let host = try await CHost(gateway: stack.gatewayURL)
            defer { host.remove() }
            let configuration = """
                {"store": "\(host.folder)/store.sqlite", "platform": "android", "app": "cheqi", "authors": {\(author)},
                 "authority": "\(stack.gatewayURL.dropFirst("http://".count))"}
                """
            let ticket = try await stack.ticket(account: "c")
            #expect(try await host.call("enrol", ticket, configuration: configuration).status == 0)
            #expect(
                try await host.call(
                    "register", "token-of-a-host-in-c-that-is-long-enough", configuration: configuration
                ).status == 0)
            let job = try await stack.commit("RECEIPT", #"{"total":"7.40"}"#, account: "c", recipients: ["ledger"])
            let payload = """
                {"eventType":"RECEIPT_GENERATION_AVAILABLE","eventVersion":"1","jobId":"\(job)","documentType":"RECEIPT"}
                """
            let end = try await host.call("hint", host.write(payload, "payload.json"), configuration: configuration)
            #expect(end.status == 0, "\(end)")
            let state = try JSONValue(parsing: Array(end.state.utf8))
            #expect(state["account"]?.string == "c")
            #expect(state["receipts"]?.array?.compactMap { $0["job"]?.string } == [job])
            #expect(state["jobs"]?.array?.isEmpty == true)
            let isComplete = try await eventually(within: .seconds(20)) {
                try await stack.status(of: job)["state"]?.string == "completed"
            }
            #expect(isComplete)
            #expect(
                try await host.call("hint", host.write("{}", "nothing.json"), configuration: configuration).status == 6)
            #expect(try await host.call("sync", "foreground", configuration: configuration).status == 0)
        }
    }

    @Test func `a configuration that is none is refused`() async throws {
        let host = try await CHost(gateway: "http://127.0.0.1:1")
        defer { host.remove() }
        #expect(try await host.call("state", configuration: "{}").status == nil)
    }

    /// Gateway, recorder and coordinator: no hint is sent by anybody.
    private func withStack(_ body: (Stack, String) async throws -> Void) async throws {
        let servers = try await Servers.start(under: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
        do {
            let programs = try Programs.besideThisOne(topology: "\(Repository.root)/topology")
            let stack = try await Stack.start(
                StackSite(servers, programs, name: "c_host"), [.gateway, .ackRecorder, .coordinator, .relay])
            do {
                let author = try stack.authorKey()
                try await body(stack, "\"\(author.id)\": \"\(Base64.encode(author.key.publicKey))\"")
            } catch {
                Issue.record("\(error)\n\(await stack.lastWords().joined(separator: "\n"))")
            }
            await stack.stop()
        } catch {
            try await servers.stop()
            throw error
        }
        try await servers.stop()
    }
}
