/// What every service command gets to build its services from.
public final class DaemonContext {
    /// Settings; call its `finish()` before anything is built from them.
    public let environment: EnvironmentReader
    public let metrics = Metrics()
    public let readiness = Readiness()
    /// Names this process among others of its kind.
    public let instance: String

    /// For services that are run without a process around them.
    public init(environment: EnvironmentReader, instance: String) {
        self.environment = environment
        self.instance = instance
    }
}
