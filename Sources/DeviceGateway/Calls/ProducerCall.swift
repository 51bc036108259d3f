import Delivery

/// What a host backend can ask for.
enum ProducerCall: Equatable {
    case ticket(account: String)
    case devices(account: String)
    case commit(Identifier)
    case status(Identifier)
    case cancel(Identifier)
    case revoke(Identifier)

    /// What a credential must be allowed.
    var scope: Scope {
        switch self {
        case .ticket: .enrol
        case .devices: .devices
        case .commit: .commit
        case .status: .status
        case .cancel: .cancel
        case .revoke: .revoke
        }
    }

    /// Stands for the call in metrics.
    var name: String { "producer_\(scope.rawValue)" }

    /// Of every call.
    static let names = Scope.allCases.map { "producer_\($0.rawValue)" }
}

/// One right of a producer credential.
enum Scope: String, Hashable, Sendable, CaseIterable {
    case enrol, devices, commit, status, cancel, revoke
}
