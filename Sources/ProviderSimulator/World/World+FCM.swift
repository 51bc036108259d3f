import HTTP2

extension World {
    private static var jsonHeaders: Headers { ["content-type": "application/json; charset=UTF-8"] }

    mutating func treatFCM(
        _ request: ProviderRequest, now: Int64, random: inout some RandomNumberGenerator
    ) -> Treatment {
        guard request.method == "POST", let project = FCMCheck.project(request.path) else {
            return Treatment(answer: .html(404))
        }
        let content = FCMCheck.content(request.body)
        var token: String?
        if case .content(let read) = content { token = read.token.map(DeviceTable.key) }
        let action = action(request, token: token)
        var treatment = Treatment(answer: .html(500), action: action)
        let scripted = scriptedFCM(action)
        if let scripted { treatment.answer = scripted }
        if (scripted != nil || action?.breaksOff == true) && action?.deliver != true { return treatment }

        switch judgeFCM(request, project: project, content, now: now) {
        case .refused(let answer): if scripted == nil { treatment.answer = answer }
        case .accepted(let content):
            let number = content.isDryRun ? "fake_message_id" : "0:\(now * 1000)%\(Self.hex(16, &random))"
            let name = "projects/\(project)/messages/\(number)"
            if scripted == nil {
                treatment.answer = ProviderAnswer(
                    status: 200, headers: Self.jsonHeaders,
                    body: Array("{\n  \"name\": \(JSONValue.string(name).text)\n}\n".utf8))
            }
            guard action?.drop != true, !content.isDryRun else { break }
            treatment.outgoing = send(
                content, name: name, project: project, lowered: action?.deprioritise ?? false, now: now)
        }
        return treatment
    }

    private mutating func send(
        _ content: FCMCheck.Content, name: String, project: String, lowered: Bool, now: Int64
    ) -> [Outgoing] {
        let priority = lowered ? "NORMAL" : content.priority
        let message = PushMessage(
            id: name, payload: content.data, collapseKey: content.collapseKey, priority: priority,
            originalPriority: content.priority, isUrgent: priority == "HIGH", expiresAt: now + content.timeToLive,
            isNowOrNever: content.timeToLive == 0, kind: content.hasNotification ? .notification : .message)
        let tokens: [String] =
            switch content.recipient {
            case .token(let token): [DeviceTable.key(token)]
            case .topic(let topic): devices.subscribers(of: topic, app: project)
            case .condition: []
            }
        return tokens.flatMap { token in
            // What is for now or never is not throttled.
            let isCollapsible = content.collapseKey != nil && content.timeToLive > 0
            let waits = isCollapsible ? quotas.collapsible(token, now: now) : 0
            return devices.accept(message, for: token, now: now, waits: waits)
        }
    }

    private mutating func judgeFCM(
        _ request: ProviderRequest, project id: String, _ content: FCMCheck.Result, now: Int64
    ) -> Verdict<FCMCheck.Content, ProviderAnswer> {
        guard let authorization = request.fields.value(of: "authorization")?.text else {
            return .refused(FCMError.credentialsMissing.answer())
        }
        guard authorization.prefix(7).lowercased() == "bearer ",
            let grant = accessTokens.grant(String(authorization.dropFirst(7))), grant.expiresAt > now / 1000
        else { return .refused(FCMError.unauthenticated.answer()) }
        let project = projects.first { $0.projectID == id }
        if grant.projectID != id { return .refused((project == nil ? FCMError.notFound : .permissionDenied).answer()) }
        if project?.isEnabled == false { return .refused(FCMError.serviceDisabled.answer()) }
        let wait = quotas.project(id, perMinute: project?.messagesPerMinute, now: now)
        guard wait == 0 else { return .refused(Self.quota(.quotaExceeded, wait)) }
        let read: FCMCheck.Content
        switch content {
        case .refused(let answer): return .refused(answer)
        case .content(let content): read = content
        }
        guard let token = read.token else { return .accepted(read) }
        if let refusal = judge(token: token, project: id, reachesOthers: project?.reachesOtherPlatforms ?? true, now) {
            return .refused(refusal)
        }
        return .accepted(read)
    }

    private mutating func judge(token: String, project: String, reachesOthers: Bool, _ now: Int64) -> ProviderAnswer? {
        let key = DeviceTable.key(token)
        guard let device = devices[key] else {
            return (FCMCheck.isToken(token) ? FCMError.unregistered : .invalidToken).answer()
        }
        guard device.provider == "fcm" else { return FCMError.invalidToken.answer() }
        guard device.app == project else { return FCMError.senderIDMismatch.answer() }
        guard device.state == .active else { return FCMError.unregistered.answer() }
        guard device.platform == "android" || reachesOthers else { return FCMError.thirdPartyAuthError.answer() }
        let wait = quotas.fcmDevice(key, now: now)
        return wait == 0 ? nil : Self.quota(.deviceQuotaExceeded, wait)
    }

    private static func quota(_ error: FCMError, _ wait: Int64) -> ProviderAnswer {
        error.answer(retryAfter: String((wait + 999) / 1000))
    }

    private func scriptedFCM(_ action: Action?) -> ProviderAnswer? {
        if let status = action?.html { return .html(status) }
        guard let answer = action?.answer else { return nil }
        if answer.body == nil, let error = answer.reason.flatMap(FCMError.init(rawValue:)) {
            var built = error.answer(retryAfter: answer.retryAfter)
            built.status = answer.status ?? built.status
            return built
        }
        var headers = Self.jsonHeaders
        if let retryAfter = answer.retryAfter { headers.append("retry-after", retryAfter) }
        let status = answer.status ?? 500
        return ProviderAnswer(
            status: status, headers: headers, body: Array((answer.body ?? "").utf8),
            reason: status == 200 ? nil : answer.reason ?? "scripted")
    }
}
