public import Daemon

extension CommandFailure {
    public init(_ error: MigrationError) {
        let status: ExitStatus =
            switch error {
            case .unreadable, .empty: .noInput
            case .misnamed, .sameNumber, .changed, .vanished, .refused: .dataError
            case .forbidden: .noPermission
            case .unavailable: .unavailable
            case .locked: .temporary
            }
        self.init(status, error.description)
    }
}
