import Daemon
import Glibc
import HTTPClient
import LocalStack

/// The relays of one campaign, which share the work. Each talks to the broker through a proxy of its own, so that it can
/// be struck alone.
actor RelayFleet {
    /// What one relay gets that the others do not.
    struct Plan: Sendable {
        var settings: [String: String] = [:]
        /// Instead of PostgreSQL's own.
        var databasePort: UInt16?
        /// A program that becomes the relay.
        var wrapper: String?
    }

    struct Member: Sendable {
        let index: Int
        /// Of this start of it.
        let name: String
        let process: StackProcess
        let proxy: TCPProxy
    }

    private let stage: ChaosStage
    private let plans: [Plan]
    private let proxies: [TCPProxy]
    private(set) var members: [Member] = []

    private init(_ stage: ChaosStage, _ plans: [Plan]) {
        self.stage = stage
        self.plans = plans
        proxies = plans.map { _ in TCPProxy(to: stage.stack.site.amqpURL) }
    }

    /// Starts one relay a plan and returns when all are ready.
    static func start(_ plans: [Plan], on stage: ChaosStage) async throws -> RelayFleet {
        let fleet = RelayFleet(stage, plans)
        do {
            for index in plans.indices { try await fleet.launch(index) }
            for member in await fleet.members { try await member.process.ready() }
        } catch {
            await fleet.stop()
            throw error
        }
        return fleet
    }

    private func launch(_ index: Int) async throws {
        let name = await stage.nextRelayName()
        var database = ServerAddress(stage.stack.site.databaseURL(as: "md_relay"))
        if let port = plans[index].databasePort { database.host = "127.0.0.1:\(port)" }
        let own = [
            "DATABASE_URL": "\(database.text)?application_name=\(name)",
            "AMQP_URL": proxies[index].url(stage.stack.site.amqpURL(as: "relay")), "MOBILE_DELIVERY_INSTANCE": name,
        ]
        let process = try await stage.stack.launch(
            .relay, settings: own.merging(plans[index].settings) { $1 }, through: plans[index].wrapper)
        members.append(Member(index: index, name: name, process: process, proxy: proxies[index]))
        members.sort { $0.index < $1.index }
    }

    /// kill -9, with nothing left on its connections.
    func kill(_ member: Member) async {
        await stage.stack.kill(member.process)
        member.proxy.cut()
        member.proxy.thaw()
        members.removeAll { $0.name == member.name }
    }

    /// Another one in the place of one that was killed.
    func replace(_ member: Member) async throws {
        try await launch(member.index)
        try await members[member.index].process.ready()
    }

    func member(named name: String?) -> Member? { members.first { $0.name == name } }

    /// The sum over all relays that run of the numbers whose line begins like that.
    func metric(_ prefix: String) async throws -> Int {
        let client = Client()
        var sum = 0.0
        for member in members {
            let admin = try await member.process.announcement("admin listening")["address"] ?? ""
            let page = try? await client.send(Request("GET", "http://\(admin)/metrics"))
            for line in page?.text.split(separator: "\n") ?? [] where line.hasPrefix("mobile_delivery_relay_\(prefix)")
            {
                sum += line.split(separator: " ").last.flatMap { Double($0) } ?? 0
            }
        }
        await client.close()
        return Int(sum.rounded(.up))
    }

    func stop() async {
        for member in members { member.process.child.signal(SIGCONT) }
        for proxy in proxies { proxy.thaw() }
        await stage.stack.stop(.relay)
        for proxy in proxies { proxy.stop() }
        members = []
    }
}
