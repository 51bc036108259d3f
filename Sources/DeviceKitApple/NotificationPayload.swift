#if canImport(UIKit)
    import DeviceKit
    import UIKit

    /// A push's dictionary as the JSON that came over the wire.
    enum NotificationPayload {
        /// Empty, which is no valid hint, if something in it is not of JSON.
        static func bytes(of userInfo: [AnyHashable: Any]) -> [UInt8] {
            guard JSONSerialization.isValidJSONObject(userInfo),
                let data = try? JSONSerialization.data(withJSONObject: userInfo)
            else { return [] }
            return Array(data)
        }
    }
#endif
