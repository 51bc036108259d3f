import Delivery

/// One thing that happens in a random schedule; phones by their number.
enum ScheduleAction: Equatable, Sendable {
    case commit(hasFanout: Bool, lateBy: Int64)
    case happens(Int, PhoneEvent)
    case crash(Int, afterCalls: Int)
    case storageFull(Int, Bool)
    case rotateToken(Int)
    case junk(Int)
    case repeatHint(Int)
    case visitReceipts(Int, accepts: Bool, grants: Bool)
    case resetAccount(Int)
    case reinstall(Int)
    case wait(Int64)

    /// Draws one; the order of draws is part of what a seed means.
    static func draw(_ random: SeededRandom, phones: Int, reenrols: Bool) -> ScheduleAction {
        let phone = random.index(phones)
        switch random.index(100) {
        case ..<22: return .commit(hasFanout: random.chance(0.7), lateBy: random.chance(0.3) ? wait(random) : 0)
        case ..<34: return .happens(phone, .opened)
        case ..<42: return .happens(phone, .left)
        case ..<45: return .happens(phone, .forceQuit)
        case ..<48: return .happens(phone, .restarted)
        case ..<51: return .happens(phone, .unlocked)
        case ..<63: return .crash(phone, afterCalls: 1 + random.index(60))
        case ..<66: return .happens(phone, .processEnded)
        case ..<69: return .happens(phone, .network(false))
        case ..<73: return .happens(phone, .network(true))
        case ..<75: return .happens(phone, .dozing(random.chance(0.6)))
        case ..<77: return .storageFull(phone, random.chance(0.5))
        case ..<80: return .happens(phone, .settings(settings(random)))
        case ..<83: return .rotateToken(phone)
        case ..<87: return .junk(phone)
        case ..<91: return .repeatHint(phone)
        case ..<94:
            return .visitReceipts(phone, accepts: random.chance(0.7), grants: random.chance(0.6))
        case ..<96: return reenrols ? .resetAccount(phone) : .wait(wait(random))
        case ..<97: return reenrols ? .reinstall(phone) : .wait(wait(random))
        default: return .wait(wait(random))
        }
    }

    /// Mostly seconds, sometimes hours, now and then days.
    static func wait(_ random: SeededRandom) -> Int64 {
        switch random.index(20) {
        case ..<8: random.number(in: 10...1_000)
        case ..<15: random.number(in: 1_000...60_000)
        case ..<19: random.number(in: 60_000...7_200_000)
        default: random.number(in: 7_200_000...2_592_000_000)
        }
    }

    private static func settings(_ random: SeededRandom) -> PhoneSettings {
        var settings = PhoneSettings()
        settings.showsAlerts = random.chance(0.5)
        settings.refreshesInBackground = random.chance(0.5)
        settings.savesPower = random.chance(0.3)
        settings.isFocused = random.chance(0.3)
        settings.restrictsBattery = random.chance(0.3)
        return settings
    }
}
