@_exported import Foundation
@_exported import FoundationNetworking

@MainActor
open class UIApplication: NSObject {
    public static let shared = UIApplication()
    open func registerForRemoteNotifications() {}
    open var isProtectedDataAvailable: Bool { true }
}

public enum UIBackgroundFetchResult: UInt, Sendable {
    case newData, noData, failed
}
