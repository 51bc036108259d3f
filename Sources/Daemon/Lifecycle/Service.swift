/// Work that runs until `Shutdown.current` is requested. Returning means that nothing of it is left: no task, no connection.
///
/// Stopping means, in this order: take no new work, finish what is in hand, flush what others wait for, close. A cancelled
/// task is one whose time to stop is over: give up at once.
public protocol Service: Sendable {
    /// Shown in logs.
    var name: String { get }
    func run() async throws
}

extension Service {
    public var name: String { String(describing: Self.self) }
}

/// A service from a closure.
public struct ServiceTask: Service {
    public let name: String
    private let body: @Sendable () async throws -> Void

    public init(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.body = body
    }

    public func run() async throws { try await body() }
}
