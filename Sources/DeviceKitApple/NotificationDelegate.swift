#if canImport(UIKit)
    import DeviceKit
    public import UIKit
    public import UserNotifications

    /// The delegate of `UNUserNotificationCenter`, to be set before the app has finished launching.
    public final class NotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
        private let host: ApplicationHost

        public init(host: ApplicationHost) { self.host = host }

        /// A push while the app is in the foreground: it is shown like any other, and worked on at once. iOS may call the
        /// application delegate for the same push, before or after.
        public func userNotificationCenter(
            _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
            withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
        ) {
            let payload = NotificationPayload.bytes(of: notification.request.content.userInfo)
            completionHandler([.banner, .list, .sound])
            let host = host
            Task { @MainActor in host.handle(.willPresent(payload)) }
        }

        /// A tap opens the app, which syncs because it becomes active; a tap acknowledges nothing.
        public func userNotificationCenter(
            _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
            withCompletionHandler completionHandler: @escaping () -> Void
        ) {
            completionHandler()
        }
    }
#endif
