import Daemon
import Delivery
import LocalStack
import Messages

extension VerifiedPhones {
    /// One request a phone, with nothing in it that a hint may not say.
    func pushes(_ canary: Canary) async throws -> [String] {
        guard let apns = try AppsFile(reading: stack.providers.appsFile).apps.first?.apns,
            let words = apns.localization[DocumentType.receipt.rawValue]
        else { return ["the stack's apps file has no app for APNs"] }
        var found: [String] = []
        let all = try await stack.control.journal().map { defect == .jobInAlert ? Self.indiscreet($0) : $0 }
        let requests = all.filter { String(decoding: $0.body, as: UTF8.self).contains("\(canary.job)") }
        for provider in ["apns", "fcm"] {
            let own = requests.filter { $0.provider == provider }
            if own.count != 1 { found.append("\(own.count) requests to \(provider) for \(canary.job)") }
        }
        for request in requests {
            let body = try JSONValue(parsing: request.body)
            let hint = request.provider == "apns" ? body : body["message"]?["data"] ?? .null
            let names = Set((hint.object ?? [:]).keys).subtracting(["aps"])
            if names != ["eventType", "eventVersion", "jobId", "documentType"] {
                found.append("the \(request.provider) payload has \(names.sorted().joined(separator: ", "))")
            }
            guard request.provider == "apns" else {
                if body["message"]?["notification"] != nil { found.append("the FCM message has a notification") }
                continue
            }
            let expected = JSONValue.object([
                "alert": .object(["title-loc-key": .string(words.title), "loc-key": .string(words.body)]),
                "content-available": .integer(1), "sound": .string("default"), "category": .string(apns.category),
            ])
            if body["aps"] != expected { found.append("the alert says more than its fixed words") }
            if request.field("apns-push-type") != "alert" || request.field("apns-priority") != "10" {
                found.append("the push is no alert of immediate priority")
            }
        }
        return found
    }

    /// Planted: as if a sender put the job into the alert. The senders are other processes, so it is put in where their
    /// requests are read.
    private static func indiscreet(_ request: ProviderControl.Request) -> ProviderControl.Request {
        guard request.provider == "apns", var body = try? JSONValue(parsing: request.body).object,
            var aps = body["aps"]?.object
        else { return request }
        aps["thread-id"] = body["jobId"]
        body["aps"] = .object(aps)
        return request.with(body: JSONValue.object(body).encoded())
    }
}
