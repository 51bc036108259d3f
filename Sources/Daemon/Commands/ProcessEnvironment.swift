/// The environment as the executable's `main` handed it over; nothing below reads the real one.
public enum ProcessEnvironment {
    @TaskLocal public static var current: [String: String] = [:]
}
