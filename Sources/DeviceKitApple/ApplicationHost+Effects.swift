#if canImport(UIKit)
    import Delivery
    import DeviceKit
    import UIKit

    extension ApplicationHost {
        func carryOut(_ effect: IOSApplication.Effect) {
            switch effect {
            case .openStore: open()
            case .reportStore(let error): actions.reportStore(error)
            case .registerForRemoteNotifications(let request, let timeout):
                UIApplication.shared.registerForRemoteNotifications()
                after(timeout) { $0.handle(.registrationTimedOut(request: request)) }
            case .upload(let token): upload(token)
            case .detachToken: work { device, _ in try? await device.unregister(.apns) }
            case .receive(let push, let payload, let deadline): receive(push, payload, until: deadline)
            case .complete(let number, let result):
                completions.removeValue(forKey: number)?(UIBackgroundFetchResult(result))
            // `NotificationDelegate` has answered it: the system waits for that on its own thread.
            case .present: break
            case .foregroundSync: sync { device throws(DeviceError) in try await device.foreground() }
            case .foregroundWork: sync { device throws(DeviceError) in try await device.work() }
            case .startTimer(let number, let delay): after(delay) { $0.handle(.timerFired(number)) }
            case .sync(let origin): work { device, _ in _ = try? await device.sync(origin) }
            }
        }

        private func open() {
            Task {
                do throws(WorkStoreError) {
                    let device = try await actions.openDevice()
                    self.device = device
                    handle(.storeOpened(isEnrolled: device.identity.account != nil))
                } catch {
                    handle(.storeFailed(error))
                }
            }
        }

        private func upload(_ token: String) {
            work { device, host in
                do {
                    try await host.actions.upload(device, token)
                    host.handle(.uploaded(token))
                } catch {
                    host.handle(.uploadFailed)
                }
            }
        }

        private func receive(_ push: Int, _ payload: [UInt8], until deadline: Int64?) {
            if let deadline { after(deadline - clock.monotonic()) { $0.handle(.windowEnded(push: push)) } }
            work { device, host in
                guard let end = try? await device.receive(payload, until: deadline) else {
                    return host.handle(.received(push: push, .failed))
                }
                _ = try? await device.syncIfWished(until: deadline)
                host.handle(.received(push: push, IOSApplication.FetchResult(end)))
            }
        }

        private func sync(_ body: @escaping @Sendable (Device) async throws(DeviceError) -> Int64?) {
            work { device, host in
                do throws(DeviceError) {
                    let due = try await body(device)
                    host.handle(.syncEnded(.done(dueIn: due.map { $0 - host.clock.wall() })))
                } catch {
                    host.handle(.syncEnded(error == .revoked ? .revoked : .failed))
                }
            }
        }

        /// Effects that need the device come only while there is one.
        private func work(_ body: @escaping @MainActor (Device, ApplicationHost) async -> Void) {
            guard let device else { return }
            Task { await body(device, self) }
        }

        private func after(_ milliseconds: Int64, _ body: @escaping @MainActor (ApplicationHost) -> Void) {
            Task {
                try? await Task.sleep(for: .milliseconds(max(milliseconds, 0)))
                body(self)
            }
        }
    }

    extension UIBackgroundFetchResult {
        init(_ result: IOSApplication.FetchResult) {
            switch result {
            case .newData: self = .newData
            case .noData: self = .noData
            case .failed: self = .failed
            }
        }
    }
#endif
