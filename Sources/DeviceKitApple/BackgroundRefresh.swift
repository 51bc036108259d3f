#if canImport(UIKit)
    import BackgroundTasks
    import Delivery
    import DeviceKit
    import UIKit

    /// An ordinary sync now and then without a push, as far as the system grants it. No receipt depends on it.
    @MainActor
    public enum BackgroundRefresh {
        /// To be called before the app has finished launching; `identifier` is one of `BGTaskSchedulerPermittedIdentifiers`.
        public static func register(_ identifier: String, host: ApplicationHost) {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) { @Sendable task in
                // Handed over on the main queue and to nobody else.
                nonisolated(unsafe) let task = task
                MainActor.assumeIsolated {
                    schedule(identifier)
                    run(task, host)
                }
            }
        }

        /// Asks for the next one, not before 15 minutes from now; again whenever the app enters the background.
        public static func schedule(_ identifier: String) {
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
            // Refused while Background App Refresh is off: the foreground sync does all of it.
            try? BGTaskScheduler.shared.submit(request)
        }

        private static func run(_ task: BGTask, _ host: ApplicationHost) {
            guard let device = host.device else { return task.setTaskCompleted(success: false) }
            let deadline = host.clock.monotonic() + IOSApplication.window
            let work = Task { @MainActor in
                task.setTaskCompleted(success: (try? await device.sync(.opportunistic, until: deadline)) != nil)
            }
            // Comes on any thread. The transport stops, and with it the sync, which then says that it is over.
            task.expirationHandler = { @Sendable in work.cancel() }
        }
    }
#endif
