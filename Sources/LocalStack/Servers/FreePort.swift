public import Daemon
import Glibc

/// A TCP port of the loopback interface that nobody listens on.
public enum FreePort {
    /// Below the range from which the system takes the ports of outgoing connections, so that none of those is in the way
    /// when the server binds it a moment later.
    private static let range: ClosedRange<UInt16> = 20_000...32_000
    /// RabbitMQ's distribution, which a broker of the machine that starts later would want.
    private static let avoided: Set<UInt16> = [25_672]

    /// `count` different ones.
    public static func pick(_ count: Int) throws(CommandFailure) -> [UInt16] {
        var found: [UInt16] = []
        for _ in 0..<1000 where found.count < count {
            let port = UInt16.random(in: range)
            if !found.contains(port), !avoided.contains(port), isFree(port) { found.append(port) }
        }
        guard found.count == count else {
            throw CommandFailure(
                .temporary, "no free port from \(range.lowerBound) to \(range.upperBound) on 127.0.0.1")
        }
        return found
    }

    public static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
