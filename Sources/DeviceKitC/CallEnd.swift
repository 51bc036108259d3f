import CDeviceKit
import DeviceKit

/// How a call of the device ended, in the words of the header.
struct CallEnd: Sendable {
    let status: DeviceKitStatus
    /// When to come back, epoch milliseconds.
    let due: Int64?

    init(_ status: DeviceKitStatus, due: Int64? = nil) {
        self.status = status
        self.due = due
    }

    /// `body` returns when to come back, `nil` for not at all.
    init(_ body: () async throws(DeviceError) -> Int64?) async {
        do throws(DeviceError) {
            let due = try await body()
            self.init(due == nil ? DeviceKitDone : DeviceKitWaiting, due: due)
        } catch {
            switch error {
            case .stopped: self.init(DeviceKitStopped)
            case .revoked: self.init(DeviceKitRevoked)
            case .store: self.init(DeviceKitStoreFailed)
            case .call: self.init(DeviceKitFailed)
            }
        }
    }
}
