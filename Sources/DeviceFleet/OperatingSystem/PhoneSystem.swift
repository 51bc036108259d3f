public import Delivery

/// The operating system of a simulated phone.
public enum PhoneSystem: Equatable, Sendable {
    case ios(IOSSystem)
    case android(AndroidSystem)

    public init(_ platform: Platform) {
        self = platform == .ios ? .ios(IOSSystem()) : .android(AndroidSystem())
    }

    public mutating func apply(_ event: PhoneEvent, now: Int64, luck: Double) -> [PhoneEffect] {
        switch self {
        case .ios(var system):
            defer { self = .ios(system) }
            return system.apply(event, now: now, luck: luck)
        case .android(var system):
            defer { self = .android(system) }
            return system.apply(event, now: now, luck: luck)
        }
    }

    public var isActive: Bool {
        switch self {
        case .ios(let system): system.isActive
        case .android(let system): system.isActive
        }
    }
}
