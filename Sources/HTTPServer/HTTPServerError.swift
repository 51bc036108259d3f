/// Why a listener could not start or take a connection.
public enum HTTPServerError: Error, Equatable, CustomStringConvertible {
    case badAddress(Address)
    /// `errno` of the failed system call.
    case cannotListen(Address, code: Int32)
    /// The library refused: mostly an unreadable certificate or key.
    case cannotStart
    case connectionRefused
    case stopped

    public var description: String {
        switch self {
        case .badAddress(let address): "\(address) is not a numeric address"
        case .cannotListen(let address, let code): "cannot listen on \(address) (errno \(code))"
        case .cannotStart: "the HTTP server did not start; are certificate and key readable PEM?"
        case .connectionRefused: "the HTTP server did not take the connection"
        case .stopped: "the HTTP server is stopped"
        }
    }
}
