import Glibc
import HTTPServer

/// Settings that every service command has.
struct DaemonSettings {
    var adminAddress: Address
    var instance: String
    var logLevel: Log.Level
    /// From the signal to the end of the process.
    var stopWithin: Duration

    init(_ reader: EnvironmentReader) {
        adminAddress = reader.listenAddress("MOBILE_DELIVERY_ADMIN_LISTEN", default: .loopback())
        instance = reader.string("MOBILE_DELIVERY_INSTANCE", default: Self.hostAndProcess())
        stopWithin = reader.duration(
            "MOBILE_DELIVERY_STOP_WITHIN", default: .seconds(18), in: .seconds(1) ... .seconds(600))
        logLevel = .info
        let level = reader.string("MOBILE_DELIVERY_LOG_LEVEL", default: "info")
        if let known = Log.Level(level) {
            logLevel = known
        } else {
            reader.report("MOBILE_DELIVERY_LOG_LEVEL", "must be debug, info, warning or error, not \"\(level)\"")
        }
    }

    private static func hostAndProcess() -> String {
        let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            gethostname(buffer.baseAddress!, buffer.count - 1) == 0 ? String(cString: buffer.baseAddress!) : "host"
        }
        return "\(host)-\(getpid())"
    }
}
