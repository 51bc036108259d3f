import AMQP
import Daemon
import Delivery
import LocalStack
import Messages
import Postgres
import TestSupport
import Testing

@testable import AckRecorder

/// The whole process but its command, against a real broker and a real database.
@Suite(.timeLimit(.minutes(3)))
struct RecorderServiceTests {
    private struct Running {
        let scene: Scene
        let broker: AMQP.ConnectionSettings
        let publisher: Publisher
        let metrics: Metrics
        let readiness: Daemon.Readiness

        /// Publishes and insists on the confirm.
        func publish(_ key: String, type: MessageType, id: String = Identifier.random().description, _ body: [UInt8])
            async
        {
            let message = Message(
                exchange: "results", routingKey: key, messageID: id, type: type.rawValue, body: body)
            let result = await publisher.publish(message, deadline: .now + .seconds(30))
            #expect(result == .confirmed)
        }

        func publish(dead key: String, _ message: Message) async {
            #expect(await publisher.publish(message, deadline: .now + .seconds(30)) == .confirmed)
        }

        func ready(_ queue: String) async throws -> Int {
            try await publisher.counts(of: queue)?.ready ?? -1
        }
    }

    /// A recorder at work for the time of `body`; then it is asked to stop and has to end by itself.
    private func withRecorder(
        devices: Int = 1, through database: (String) -> String = { $0 },
        _ body: (Running) async throws -> Void
    ) async throws {
        try await withScratchVirtualHost { host in
            try await Scene.with(devices: devices) { scene in
                let broker = try AMQP.ConnectionSettings(url: host.amqpURL)
                let publisher = Publisher(broker, name: "test")
                let (metrics, readiness) = (Metrics(), Daemon.Readiness())
                let settings = try Postgres.ConnectionSettings(url: database(scene.recorderURL))
                var configuration = Configuration()
                configuration.judgeInterval = .milliseconds(100)
                configuration.longestPause = .milliseconds(200)
                let recorder = Recorder(
                    configuration, database: Database(settings, connections: 3), broker: broker, instance: "recorder-1",
                    metrics: metrics, readiness: readiness)
                let shutdown = Shutdown()
                try await withThrowingTaskGroup { group in
                    let publishing = Task { await publisher.run() }
                    group.addTask { try await ServiceGroup(recorder.services).run(until: shutdown) }
                    try await body(
                        Running(
                            scene: scene, broker: broker, publisher: publisher, metrics: metrics, readiness: readiness))
                    shutdown.request()
                    try await group.waitForAll()
                    publishing.cancel()
                }
            }
        }
    }

    private func ack(_ job: Identifier, _ device: Identifier) -> DeviceAck {
        DeviceAck(
            job: job, device: device, result: .acknowledged, origin: .hint, evidence: [UInt8](repeating: 1, count: 32),
            clientSequence: 1, receivedAt: 0)
    }

    /// Sooner or later it does; the machine may be busy with other tests.
    private func holds(
        _ fact: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let holds = try await eventually(within: .seconds(60), fact)
        #expect(holds, sourceLocation: sourceLocation)
    }

    @Test func `a published ack completes its job`() async throws {
        try await withRecorder { running in
            let job = try await running.scene.publishedJob()
            await running.publish("ack", type: .ack, ack(job, running.scene.device).encoded())
            try await holds {
                try await running.scene.deviceState(job) == "acknowledged"
            }
            try await holds { try await running.scene.events("job.completed.v1").count == 1 }
        }
    }

    @Test func `a published outcome ends its entry and the process is ready`() async throws {
        try await withRecorder { running in
            let job = try await running.scene.publishedJob()
            let outcome = try await running.scene.outcome(.accepted, job)
            let batch = OutcomeBatch(instance: "sender-1", route: running.scene.route, outcomes: [outcome])
            await running.publish(running.scene.route.outcomeKey, type: .outcome, batch.encoded())
            try await holds { try await running.scene.entry(job).state == "accepted" }
            #expect(running.readiness.isReady)
        }
    }

    @Test func `a malformed message goes to the dead-letter queue with its reason and the consumer lives on`()
        async throws
    {
        try await withRecorder { running in
            let job = try await running.scene.publishedJob()
            await running.publish("ack", type: .ack, id: "broken", [UInt8]("{\"version\":1".utf8))
            await running.publish("ack", type: .ack, id: "future", [UInt8]("{\"version\":99}".utf8))
            await running.publish("ack", type: .ack, ack(job, running.scene.device).encoded())
            try await holds {
                try await running.scene.deviceState(job) == "acknowledged"
            }
            try await holds { try await running.ready("recorder.dead") == 2 }
            // dead.index brings both back to the recorder, which indexes them.
            try await holds {
                let reasons: [String] =
                    try await running.scene.world.query(
                        """
                        SELECT array_agg(reason ORDER BY message_id) AS reasons FROM delivery.dead_letter
                         WHERE queue = 'recorder.dead' HAVING count(*) > 0
                        """
                    ).first?.only() ?? []
                return reasons == ["malformed", "unknown_version"]
            }
        }
    }

    @Test func `a poisonous ack in a batch is isolated and its neighbours are recorded`() async throws {
        try await withRecorder(devices: 3) { running in
            let job = try await running.scene.publishedJob()
            let devices = running.scene.devices
            var poison = ack(job, devices[1])
            poison.result = .failed
            poison.reason = "nul \u{0}"
            await running.publish("ack", type: .ack, ack(job, devices[0]).encoded())
            await running.publish("ack", type: .ack, poison.encoded())
            await running.publish("ack", type: .ack, ack(job, devices[2]).encoded())
            try await holds { try await running.ready("recorder.dead") == 1 }
            try await holds {
                let first = try await running.scene.deviceState(job, devices[0])
                let last = try await running.scene.deviceState(job, devices[2])
                return [first, last] == ["acknowledged", "acknowledged"]
            }
            try await holds { try await running.scene.deviceState(job, devices[1]) == "pending" }
        }
    }

    @Test func `a job that somebody holds keeps no other's ack waiting, and has its own recorded once it is free`()
        async throws
    {
        try await withRecorder { running in
            let slow = try await running.scene.publishedJob()
            let quick = try await running.scene.publishedJob()
            let holder = try await Connection.open(running.scene.world.settings)
            try await holder.execute("BEGIN")
            _ = try await holder.query("SELECT FROM delivery.generation_job WHERE job_id = \(slow) FOR UPDATE")
            for job in [slow, quick] {
                await running.publish("ack", type: .ack, ack(job, running.scene.device).encoded())
            }
            try await holds { try await running.scene.deviceState(quick) == "acknowledged" }
            #expect(try await running.scene.deviceState(slow) == "pending")
            try await holder.execute("COMMIT")
            await holder.close()
            try await holds { try await running.scene.deviceState(slow) == "acknowledged" }
            try await holds { try await running.ready("recorder.acks") == 0 }
        }
    }

    @Test func `of a message with one poisonous outcome the others are recorded`() async throws {
        try await withRecorder(devices: 2) { running in
            let job = try await running.scene.publishedJob()
            let devices = running.scene.devices
            let poison = try await running.scene.outcome(.deferred, job, device: devices[0]) { $0.reason = "nul \u{0}" }
            let good = try await running.scene.outcome(.ambiguous, job, device: devices[1])
            let batch = OutcomeBatch(instance: "sender-1", route: running.scene.route, outcomes: [poison, good])
            await running.publish(running.scene.route.outcomeKey, type: .outcome, batch.encoded())
            try await holds { try await running.ready("recorder.dead") == 1 }
            try await holds { try await running.scene.entry(job, device: devices[1]).failures == 1 }
            try await holds { try await running.scene.entry(job, device: devices[0]).failures == 0 }
        }
    }

    @Test func `outcomes of a route that nobody applied are buried`() async throws {
        try await withRecorder { running in
            let job = try await running.scene.publishedJob()
            let stranger = Route(provider: .fcm, environment: "", app: "stranger")
            let outcome = try await running.scene.outcome(.accepted, job)
            let batch = OutcomeBatch(instance: "sender-1", route: stranger, outcomes: [outcome])
            await running.publish(stranger.outcomeKey, type: .outcome, batch.encoded())
            try await holds { try await running.ready("recorder.dead") == 1 }
        }
    }

    @Test func `a dead letter of a sender ends its entry`() async throws {
        try await withRecorder { running in
            let job = try await running.scene.publishedJob()
            let entry = try await running.scene.outcome(.accepted, job).entry
            await running.publish(
                dead: "hints.apns.dead",
                Message(
                    exchange: "dead", routingKey: "hints.apns.dead", messageID: entry.description, type: "hint.v1",
                    headers: ["md-seq": 1, "md-reason": "malformed"], body: [UInt8]("?".utf8)))
            try await holds { try await running.scene.entry(job).reason == "malformed" }
        }
    }

    @Test func `a dead letter that can't be indexed is parked, not sent round`() async throws {
        try await withRecorder { running in
            await running.publish(
                dead: "hints.apns.dead",
                Message(
                    exchange: "dead", routingKey: "hints.apns.dead", messageID: "x", type: "hint.v1",
                    headers: ["md-reason": .string("nul \u{0}")], body: [UInt8]("?".utf8)))
            try await holds { try await running.ready("parking") == 1 }
            try await holds { try await running.ready("recorder.dead") == 0 }
        }
    }

    @Test func `while the database is away nothing is requeued, and all is written when it is back`() async throws {
        let proxy = try TCPProxy(to: TestServers.databaseURL)
        try await withRecorder(devices: 5, through: proxy.url) { running in
            let job = try await running.scene.publishedJob()
            proxy.freeze()
            proxy.cut()
            for device in running.scene.devices {
                await running.publish("ack", type: .ack, ack(job, device).encoded())
            }
            try await holds { !running.readiness.isReady }
            proxy.thaw()
            try await holds {
                try await running.scene.events("job.completed.v1").count == 1
            }
            try await holds { running.readiness.isReady }
            try await holds { try await running.ready("recorder.dead") == 0 }
        }
    }

    @Test func `a missing queue ends the process with one line`() async throws {
        try await withScratchVirtualHost(topology: false) { host in
            let check = BrokerPublishing(
                publisher: Publisher(try AMQP.ConnectionSettings(url: host.amqpURL), name: "test"),
                broker: try AMQP.ConnectionSettings(url: host.amqpURL), queues: ["recorder.acks"],
                condition: Daemon.Readiness().condition("broker", waitingFor: "test"))
            let failure = await #expect(throws: CommandFailure.self) { try await check.run() }
            #expect(failure?.status == .systemFile)
            #expect(failure?.line.contains("queue recorder.acks is missing") == true)
        }
    }

    @Test func `asked to stop, it records what was delivered and gives nothing back`() async throws {
        try await withScratchVirtualHost { host in
            try await Scene.with(devices: 30) { scene in
                let broker = try AMQP.ConnectionSettings(url: host.amqpURL)
                let publisher = Publisher(broker, name: "test")
                let publishing = Task { await publisher.run() }
                let job = try await scene.publishedJob()
                for device in scene.devices {
                    let message = Message(
                        exchange: "results", routingKey: "ack", messageID: "\(device)", type: "ack.v1",
                        body: ack(job, device).encoded())
                    #expect(await publisher.publish(message, deadline: .now + .seconds(30)) == .confirmed)
                }
                let recorder = Recorder(
                    Configuration(), database: Database(scene.recorder.settings, connections: 2), broker: broker,
                    instance: "recorder-1", metrics: Metrics(), readiness: Daemon.Readiness())
                let shutdown = Shutdown()
                let running = Task { try await ServiceGroup(recorder.services).run(until: shutdown) }
                try await holds {
                    try await scene.deviceState(job, scene.devices[0]) == "acknowledged"
                }
                shutdown.request()
                try await running.value
                let acknowledged: Int = try await scene.world.query(
                    "SELECT count(*) AS n FROM delivery.job_device WHERE state = 'acknowledged'"
                ).one()["n"]
                let left = try await publisher.counts(of: "recorder.acks")?.ready
                #expect(left == 30 - acknowledged)
                publishing.cancel()
                await publishing.value
            }
        }
    }
}
