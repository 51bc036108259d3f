import AMQP
import Daemon
import Delivery
import FoundationEssentials
import LocalStack

/// The bare loop: librabbitmq in C, in a process of its own.
struct BarePublisher {
    let stack: StackSite
    let route: Route
    let window: Int
    /// One message's body.
    let bodyFile: String

    /// Publishes `messages` to the route's queue and returns how many the broker confirmed a second, or, if `andConsumes`,
    /// how many a second process took and acknowledged at the same time.
    func rate(messages: Int, andConsumes: Bool = false) async throws -> Double {
        // No user of the topology may do both.
        let broker = try ConnectionSettings(url: andConsumes ? stack.amqpURL : stack.amqpURL(as: "relay"))
        var environment = stack.commonEnvironment
        environment["AMQP_PASSWORD"] = broker.password
        let command = ProcessCommand(
            stack.programs.barePublisher,
            [
                broker.addresses[0].host, "\(broker.addresses[0].port)", broker.virtualHost, broker.user, "hints",
                route.queue, "\(messages)", "\(window)", bodyFile,
            ] + (andConsumes ? [route.queue] : []), environment: environment)
        let log = "\(stack.folder)/bare-publisher.log"
        try? FileManager.default.removeItem(atPath: log)
        let child = try ChildProcess("bare-publisher", command, logPath: log)
        do {
            guard try await child.endUncancelled(after: .seconds(600)) == .exited(0),
                let line = child.log.split(separator: "\n").last, let result = JSONLine(line),
                result.numbers["confirmed"] == Int64(messages), result.numbers["returned"] == 0,
                let microseconds = result.numbers["microseconds"], microseconds > 0
            else { throw Unusable("the bare loop failed: \(child.lastLine)") }
            return Double(messages) / Double(microseconds) * 1_000_000
        } catch {
            await child.end(within: .seconds(1))
            throw error
        }
    }
}

extension ChildProcess {
    /// Waits for it to end by itself, at most so long; throws when the task is cancelled meanwhile.
    func endUncancelled(after timeout: Duration) async throws -> Termination? {
        let end = ContinuousClock.now + timeout
        while ContinuousClock.now < end {
            if let termination = await ended(within: .milliseconds(200)) { return termination }
            try Task.checkCancellation()
        }
        return nil
    }
}
