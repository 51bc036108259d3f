import Delivery
import Testing

@testable import Sending

struct PauseMachineTests {
    private static let now = ContinuousClock.now

    enum Event: String, CaseIterable {
        case fault, timeEarly, timeDue, credentialGood, credentialRefused, probeGood, probeBad
    }

    enum Phase: String, CaseIterable {
        case running, paused, probingCredential, probingHint
    }

    private static func machine(in phase: Phase) -> PauseMachine {
        var machine = PauseMachine(first: .seconds(30), longest: .seconds(600))
        guard phase != .running else { return machine }
        _ = machine.faultHappened("BadTopic", .route, now: now, jitter: 0.5)
        guard phase != .paused else { return machine }
        _ = machine.timePassed(now: now + .seconds(30))
        guard phase != .probingCredential else { return machine }
        _ = machine.credentialWasGood()
        return machine
    }

    private static func apply(_ event: Event, to machine: inout PauseMachine) -> PauseMachine.Action {
        switch event {
        case .fault: machine.faultHappened("Forbidden", .credential, now: now, jitter: 0.5)
        case .timeEarly: machine.timePassed(now: now + .milliseconds(29_999))
        case .timeDue: machine.timePassed(now: now + .seconds(30))
        case .credentialGood: machine.credentialWasGood()
        case .credentialRefused: machine.credentialWasRefused("Forbidden", now: now, jitter: 0.5)
        case .probeGood: machine.probeSucceeded()
        case .probeBad: machine.probeFailed("status 500", now: now, jitter: 0.5)
        }
    }

    private static func phase(of machine: PauseMachine) -> Phase {
        switch machine.state {
        case .running: .running
        case .paused: .paused
        case .probingCredential: .probingCredential
        case .probingHint: .probingHint
        }
    }

    /// Every cell that does something; all others change nothing.
    private static let cells: [Phase: [Event: (Phase, PauseMachine.Action)]] = [
        .running: [.fault: (.paused, .stopConsuming)],
        .paused: [.timeDue: (.probingCredential, .probeCredential)],
        .probingCredential: [
            .credentialGood: (.probingHint, .consumeOne), .credentialRefused: (.paused, .none),
        ],
        .probingHint: [
            .fault: (.paused, .stopConsuming), .probeGood: (.running, .resumed), .probeBad: (.paused, .stopConsuming),
        ],
    ]

    @Test(arguments: Phase.allCases, Event.allCases)
    func `every state answers every event as the table says`(phase: Phase, event: Event) {
        var machine = Self.machine(in: phase)
        let before = machine
        let action = Self.apply(event, to: &machine)
        if let (next, expected) = Self.cells[phase]?[event] {
            #expect(action == expected)
            #expect(Self.phase(of: machine) == next)
        } else {
            #expect(action == .none)
            #expect(machine == before)
        }
    }

    @Test(arguments: zip([0, 1, 2, 3, 4, 5, 60], [30, 60, 120, 240, 480, 600, 600]))
    func `the interval doubles with each failed probe up to ten minutes`(failures: Int, seconds: Int) {
        var machine = Self.machine(in: .paused)
        for _ in 0..<failures {
            _ = machine.timePassed(now: Self.now + .seconds(100_000))
            _ = machine.credentialWasRefused("Forbidden", now: Self.now, jitter: 0.5)
        }
        #expect(machine.refusal?.until == Self.now + .seconds(seconds))
        #expect(machine.refusal?.failures == failures)
    }

    @Test(arguments: zip([0.0, 0.5, 1.0], [22_500, 30_000, 37_500]))
    func `jitter spreads the interval by a quarter`(jitter: Double, milliseconds: Int) {
        var machine = PauseMachine(first: .seconds(30), longest: .seconds(600))
        _ = machine.faultHappened("clock", .process, now: Self.now, jitter: jitter)
        #expect(machine.refusal?.until == Self.now + .milliseconds(milliseconds))
    }

    @Test func `hints are given back while paused and taken while probing`() {
        #expect(Self.machine(in: .running).refusal == nil)
        #expect(Self.machine(in: .paused).refusal?.reason == "BadTopic")
        #expect(Self.machine(in: .probingCredential).refusal?.reason == "BadTopic")
        #expect(Self.machine(in: .probingHint).refusal == nil)
        #expect(Self.machine(in: .probingHint).probed?.reason == "BadTopic")
        #expect(Self.machine(in: .running).probed == nil)
    }

    @Test func `after a success the next pause begins with the first interval`() {
        var machine = Self.machine(in: .probingHint)
        _ = machine.probeFailed("status 500", now: Self.now, jitter: 0.5)
        _ = machine.timePassed(now: Self.now + .seconds(60))
        _ = machine.credentialWasGood()
        _ = machine.probeSucceeded()
        _ = machine.faultHappened("BadTopic", .route, now: Self.now, jitter: 0.5)
        #expect(machine.refusal?.until == Self.now + .seconds(30))
    }
}
