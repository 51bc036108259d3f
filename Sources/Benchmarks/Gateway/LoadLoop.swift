import CLinux
import Glibc

/// The one thread of a load: every connection waits for nothing or for one answer.
final class LoadLoop {
    private struct Line {
        var descriptor: Int32
        var dueAt = 0.0
        var received: [UInt8] = []
    }

    private let load: ConnectionLoad
    private let poll: Int32
    private var lines: [Int32: Line] = [:]
    private var free: [Int32] = []
    private var turn = 0
    private var milliseconds: [Double] = []
    private var body: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(_ load: ConnectionLoad) throws(Unusable) {
        self.load = load
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        for _ in 0..<load.connections {
            let descriptor = try Self.connection(to: load.port)
            lines[descriptor] = Line(descriptor: descriptor)
            free.append(descriptor)
            guard clinux_epoll_control(poll, EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue) == 0 else {
                throw Unusable("no room for a connection: errno \(clinux_errno())")
            }
        }
    }

    func close() {
        for descriptor in lines.keys { Glibc.close(descriptor) }
        Glibc.close(poll)
    }

    func run() throws(Unusable) -> ConnectionLoad.Outcome {
        let began = Self.now()
        let end = began + load.time / .seconds(1)
        var due = began
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while true {
            let now = Self.now()
            if now < end {
                while let descriptor = free.last, load.rate == nil || due <= now {
                    free.removeLast()
                    try send(on: descriptor, dueAt: load.rate == nil ? Self.now() : due)
                    if let rate = load.rate { due += 1 / rate }
                }
            } else if free.count == lines.count {
                break
            }
            guard now < end + 30 else { throw Unusable("\(lines.count - free.count) requests have no answer") }
            let count = epoll_wait(poll, &events, Int32(events.count), load.rate == nil ? 100 : 1)
            for index in 0..<max(0, Int(count)) { try receive(clinux_epoll_descriptor(&events[index])) }
        }
        return ConnectionLoad.Outcome(
            rate: Double(milliseconds.count) / (Self.now() - began), milliseconds: milliseconds, body: body)
    }

    private func send(on descriptor: Int32, dueAt: Double) throws(Unusable) {
        let request = load.requests[turn % load.requests.count]
        turn += 1
        lines[descriptor]?.dueAt = dueAt
        guard Glibc.send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw Unusable("a request could not be sent: errno \(clinux_errno())")
        }
    }

    private func receive(_ descriptor: Int32) throws(Unusable) {
        guard var line = lines.removeValue(forKey: descriptor) else { return }
        defer { lines[descriptor] = line }
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, clinux_errno() == EAGAIN { return }
        guard count > 0 else { throw Unusable("the server closed a connection") }
        line.received += buffer[..<count]
        guard let answer = HTTPAnswer(line.received), line.received.count >= answer.length else { return }
        guard answer.status == 200 else { throw Unusable("an answer was \(answer.status)") }
        if body.isEmpty { body = Array(line.received[answer.head..<answer.length]) }
        milliseconds.append((Self.now() - line.dueAt) * 1_000)
        line.received.removeAll(keepingCapacity: true)
        free.append(descriptor)
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func connection(to port: Int) throws(Unusable) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Unusable("no connection to port \(port): errno \(clinux_errno())") }
        var isOn: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }
}
