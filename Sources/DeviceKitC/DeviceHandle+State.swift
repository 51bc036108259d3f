import Delivery
import DeviceKit
import DeviceStore
import Messages

extension DeviceHandle {
    /// The document of `deviceKitState`.
    func state() async throws(WorkStoreError) -> [UInt8] {
        let identity = try await Device.identity(platform: configuration.platform, store: store)
        let jobs = try await store.openJobs()
        let receipts = try await store.receipts()
        return JSONWriter.object {
            $0.member("device", identity.device.description)
            $0.member("account", identity.account)
            $0.key("jobs")
            $0.array { list in
                for job in jobs {
                    list.object {
                        $0.member("job", job.job.description)
                        $0.member("documentType", job.documentType.rawValue)
                        $0.member("stage", job.stage.rawValue)
                        $0.member("report", job.report.rawValue)
                        $0.member("retryAt", job.retryAt)
                    }
                }
            }
            $0.key("receipts")
            $0.array { list in
                for receipt in receipts {
                    list.object {
                        $0.member("job", receipt.job.description)
                        $0.member("documentType", receipt.documentType.rawValue)
                    }
                }
            }
        }
    }
}
