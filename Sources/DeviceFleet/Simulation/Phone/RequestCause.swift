public import Delivery
import DeviceKit

/// Why a simulated phone is making a call; follows the kit through all its tasks.
public enum RequestCause: Equatable, Sendable {
    case launch
    /// A hint of that job; `nil` if it names none that can be used.
    case hint(Identifier?)
    /// A sync that hints called for.
    case coalescedSync
    case foreground
    case background

    @TaskLocal static var current = RequestCause.launch

    /// Runs the body, and all that it begins, for this cause.
    func run<Result>(_ body: () async throws(DeviceError) -> Result) async throws(DeviceError) -> Result {
        do {
            return try await RequestCause.$current.withValue(self) { try await body() }
        } catch {
            throw error as? DeviceError ?? .stopped
        }
    }
}
