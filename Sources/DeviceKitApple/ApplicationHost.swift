#if canImport(UIKit)
    public import DeviceKit
    public import UIKit

    /// Carries out what `IOSApplication` decides. The app's delegate owns one, and passes every call of the system on.
    @MainActor
    public final class ApplicationHost {
        /// What only the app can do.
        public struct Actions {
            /// Opens the store and makes the device; called again after a failure.
            public var openDevice: @Sendable () async throws(WorkStoreError) -> Device
            /// Tells the gateway the token: `Device.register` with the app's route.
            public var upload: @Sendable (Device, String) async throws -> Void
            /// Tells the user that the store cannot be used; with `isDamage` the app offers to enrol anew.
            public var reportStore: @MainActor (WorkStoreError) -> Void

            public init(
                openDevice: @escaping @Sendable () async throws(WorkStoreError) -> Device,
                upload: @escaping @Sendable (Device, String) async throws -> Void,
                reportStore: @escaping @MainActor (WorkStoreError) -> Void
            ) {
                self.openDevice = openDevice
                self.upload = upload
                self.reportStore = reportStore
            }
        }

        /// `nil` before the first unlock after a restart.
        public internal(set) var device: Device?
        public private(set) var application = IOSApplication()
        let actions: Actions
        let clock: any DeviceClock
        var completions: [Int: (UIBackgroundFetchResult) -> Void] = [:]
        var lastCompletion = 0

        public init(actions: Actions, clock: any DeviceClock) {
            self.actions = actions
            self.clock = clock
        }

        /// The one way in: an event, and its effects in their order.
        public func handle(_ event: IOSApplication.Event) {
            for effect in application.apply(event) { carryOut(effect) }
        }

        /// `application(_:didFinishLaunchingWithOptions:)`. Asks for the token in every state of every permission.
        public func launched() {
            handle(.launched(isProtectedDataAvailable: UIApplication.shared.isProtectedDataAvailable))
        }

        /// `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`
        public func registered(_ token: Data) {
            handle(.token(token.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()))
        }

        /// `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`. The handler is called exactly once.
        public func received(
            _ userInfo: [AnyHashable: Any], completion: @escaping (UIBackgroundFetchResult) -> Void
        ) {
            lastCompletion += 1
            completions[lastCompletion] = completion
            handle(
                .remoteNotification(
                    NotificationPayload.bytes(of: userInfo), completion: lastCompletion, now: clock.monotonic()))
        }
    }
#endif
