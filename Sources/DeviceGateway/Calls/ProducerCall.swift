import Delivery

/// What a host backend can ask for.
enum ProducerCall: Equatable {
    case ticket(account: String)
    case devices(account: String)
    case commit(Identifier)
    case status(Identifier)
    case cancel(Identifier)
    case cancelRange
    case revoke(Identifier)
    case eraseDevice(Identifier)
    case eraseAccount(String)

    /// What a credential must be allowed.
    var scope: Scope {
        switch self {
        case .ticket: .enrol
        case .devices: .devices
        case .commit: .commit
        case .status: .status
        case .cancel, .cancelRange: .cancel
        case .revoke: .revoke
        case .eraseDevice, .eraseAccount: .erase
        }
    }

    /// Stands for the call in metrics.
    var name: String {
        switch self {
        case .ticket: "producer_enrol"
        case .devices: "producer_devices"
        case .commit: "producer_commit"
        case .status: "producer_status"
        case .cancel: "producer_cancel"
        case .cancelRange: "producer_cancel_range"
        case .revoke: "producer_revoke"
        case .eraseDevice: "producer_erase_device"
        case .eraseAccount: "producer_erase_account"
        }
    }

    /// Of every call.
    static let names: [String] = {
        let any = Identifier(high: 0, low: 0)
        let all: [ProducerCall] = [
            .ticket(account: ""), .devices(account: ""), .commit(any), .status(any), .cancel(any), .cancelRange,
            .revoke(any), .eraseDevice(any), .eraseAccount(""),
        ]
        return all.map(\.name)
    }()
}

/// One right of a producer credential.
enum Scope: String, Hashable, Sendable, CaseIterable {
    case enrol, devices, commit, status, cancel, revoke, erase
}
