/// One header field. Names are compared without regard to case.
public struct Header: Hashable, Sendable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// `Authorization: Bearer …`.
    public static func bearer(_ token: String) -> Header { Header("Authorization", "Bearer \(token)") }

    /// `Authorization: Basic …` (RFC 7617, UTF-8).
    public static func basic(user: String, password: String) -> Header {
        Header("Authorization", "Basic \(Base64.encoded(Array("\(user):\(password)".utf8)))")
    }
}

extension [Header] {
    /// The value of the first field of that name.
    public func value(of name: String) -> String? {
        first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
