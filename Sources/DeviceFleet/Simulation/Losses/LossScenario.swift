public import Delivery

/// The ways in which hints get lost, each as a story that ends with every job complete.
public enum LossScenario: String, Sendable, CaseIterable {
    /// The push service accepts hints and loses them.
    case missed
    /// They come two hours late, after the owner looked.
    case delayed
    /// APNs keeps one of twenty.
    case collapsed
    /// FCM delivers with normal priority, and the phone dozes.
    case throttled
    /// Thirty days without a network.
    case offline
    /// The owner ended the app for good.
    case forceQuit = "force-quit"
    /// The phone restarted and nobody has unlocked it.
    case beforeFirstUnlock = "before-first-unlock"
    /// Alerts are off.
    case permissionOff = "permission-off"
    /// The push token that the gateway knows is dead.
    case invalidToken = "invalid-token"
    /// Background App Refresh is off.
    case backgroundRefreshOff = "background-refresh-off"

    /// How a scenario ended.
    public struct Report: Equatable, Sendable {
        public var scenario: LossScenario
        /// Broken promises and unmet expectations; empty if all went as it must.
        public var violations: [String]
        public var jobs: Int
        /// By what made a phone look first.
        public var repairs: [Origin: Int]
    }

    public func run(seed: UInt64 = 1, defects: Set<PlantedDefect> = []) -> Report {
        let world = SimulatedWorld(seed: seed, platforms: platforms, defects: defects)
        let story = LossStory(world: world)
        let isAlive = world.run { world in
            if await world.enrolAll() {
                for phone in world.phones { await phone.tell(.left) }
                await world.sleep(20_000)
                await story.tell(self)
                story.expect(await world.settle(), "every job is complete at the end")
                await world.check()
            } else {
                story.expect(false, "every phone is enrolled")
            }
        }
        story.expect(isAlive, "the story has an end")
        return Report(
            scenario: self, violations: world.checker.violations,
            jobs: world.network.withGateway { $0.order.count }, repairs: story.repairs)
    }

    private var platforms: [Platform] {
        switch self {
        case .collapsed, .backgroundRefreshOff: [.ios]
        case .throttled: [.android]
        default: [.ios, .android]
        }
    }
}
