import AMQP
import Daemon
import Delivery

extension RouteSender {
    /// A fault that this route met: pauses it, and with it the routes that share what is at fault.
    func faultHappened(_ reason: String, _ extent: PauseExtent) async {
        let action = machine.faultHappened(reason, extent, now: .now, jitter: .random(in: 0...1))
        await perform(action)
        if action == .stopConsuming, extent != .route { await shared.spread(route, extent, reason) }
    }

    /// A fault that another route met.
    func pause(_ reason: String, _ extent: PauseExtent) async {
        await perform(machine.faultHappened(reason, extent, now: .now, jitter: .random(in: 0...1)))
    }

    func probeFailed(_ reason: String) async {
        await perform(machine.probeFailed(reason, now: .now, jitter: .random(in: 0...1)))
    }

    func perform(_ action: PauseMachine.Action) async {
        switch action {
        case .none: break
        case .stopConsuming:
            if let pause = machine.pause {
                numbers.pauseBegan(pause.reason)
                Log.error(
                    "route paused",
                    [
                        .route: .of(route), .reason: .string(pause.reason), .extent: .string(pause.extent.rawValue),
                        .remedy: .string(Remedy.text(pause.reason, pause.extent)),
                    ])
                if pause.extent == .process { condition.notReady(pause.reason) }
            }
            await consumer.pause()
            scheduleProbe()
        case .probeCredential: await probeCredential()
        case .consumeOne: if !isStopping { await consumer.resume() }
        case .resumed:
            numbers.paused.set(0)
            condition.ready()
            Log.info("route resumed", [.route: .of(route)])
        }
    }

    private func scheduleProbe() {
        probing?.cancel()
        guard let due = machine.refusal?.until, !isStopping else { return }
        probing = Task {
            guard (try? await Task.sleep(until: due, clock: .continuous)) != nil else { return }
            await perform(machine.timePassed(now: .now))
        }
    }

    private func probeCredential() async {
        guard let refusal = await shared.courier.probe(route, deadline: .now + shared.settings.requestTimeout) else {
            return await perform(machine.credentialWasGood())
        }
        Log.warning("credential probe failed", [.route: .of(route), .reason: .string(refusal.reason)])
        await perform(machine.credentialWasRefused(refusal.reason, now: .now, jitter: .random(in: 0...1)))
        scheduleProbe()
    }
}
