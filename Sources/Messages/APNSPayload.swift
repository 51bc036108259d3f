import Delivery

/// The body of one APNs request (W1). Alert texts are keys that the app translates; nothing about the receipt is in it.
public struct APNSPayload: Equatable, Sendable {
    /// What the apps file says for one document type.
    public struct Alert: Equatable, Sendable {
        public var titleKey: String
        public var bodyKey: String

        public init(titleKey: String, bodyKey: String) {
            self.titleKey = titleKey
            self.bodyKey = bodyKey
        }
    }

    public var alert: Alert
    /// Picks the app's notification content extension.
    public var category: String
    public var hint: WorkHint

    public init(alert: Alert, category: String, hint: WorkHint) {
        self.alert = alert
        self.category = category
        self.hint = hint
    }

    public func encoded() -> [UInt8] {
        JSONWriter.object {
            $0.key("aps")
            $0.object {
                $0.key("alert")
                $0.object {
                    $0.member("title-loc-key", alert.titleKey)
                    $0.member("loc-key", alert.bodyKey)
                }
                $0.member("content-available", 1)
                $0.member("sound", "default")
                $0.member("category", category)
            }
            $0.member("eventType", WorkHint.eventType)
            $0.member("eventVersion", WorkHint.eventVersion)
            $0.member("jobId", hint.job.description)
            $0.member("documentType", hint.documentType.rawValue)
        }
    }
}
