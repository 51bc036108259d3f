import FoundationEssentials
import Glibc

extension ProcessIdentity {
    /// What the process has used of processors until now, in user and kernel mode, to a hundredth of a second; nil if it is
    /// gone.
    public var processorTime: Duration? {
        // Fields 14 and 15.
        guard let fields = Self.fields(of: id), let user = Int64(fields[11]), let kernel = Int64(fields[12]) else {
            return nil
        }
        let ticks = Int64(sysconf(Int32(_SC_CLK_TCK)))
        return .milliseconds((user + kernel) * 1000 / ticks)
    }
}
