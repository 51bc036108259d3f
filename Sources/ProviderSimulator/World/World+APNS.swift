import HTTP2

extension World {
    mutating func treatAPNS(
        _ request: ProviderRequest, _ environment: String, now: Int64, random: inout some RandomNumberGenerator
    ) -> Treatment {
        let headers = APNSHeaders(request.fields)
        let id = headers.id?.text ?? Self.uuid(&random)
        func answer(_ reason: APNSReason?, timestamp: Int64? = nil) -> ProviderAnswer {
            var fields = Headers([HeaderField("apns-id", id)], room: 3)
            if environment == "sandbox" { fields.append("apns-unique-id", id) }
            guard let reason else { return ProviderAnswer(status: 200, headers: fields) }
            return ProviderAnswer(
                status: reason.status, headers: fields, body: reason.body(timestamp: timestamp),
                reason: reason.rawValue)
        }
        let (token, refusal) = APNSCheck.route(request.received)
        if let refusal { return Treatment(answer: answer(refusal)) }
        let action = action(request, token: token)
        let judgement = providerTokens.judge(
            authorization: headers.authorization,
            connection: ProviderTokens.Connection(number: request.received.connection, environment: environment),
            now: now / 1000)
        var treatment = Treatment(answer: answer(nil), action: action)
        if case .accepted(_, isFirst: true) = judgement { treatment.opensStreams = true }
        let scripted = scriptedAPNS(action, id: id, now: now)
        if let scripted { treatment.answer = scripted }
        if (scripted != nil || action?.breaksOff == true) && action?.deliver != true { return treatment }

        let verdict = judgeAPNS(headers, request.body, token: token ?? "", judgement, environment, now: now)
        switch verdict {
        case .refused(let (reason, timestamp)):
            if scripted == nil { treatment.answer = answer(reason, timestamp: timestamp) }
        case .accepted(let content):
            guard action?.drop != true, !content.isVain else { break }
            let message = PushMessage(
                id: id, payload: request.body, collapseKey: headers.collapseID?.text,
                priority: String(content.priority),
                isUrgent: content.priority == 10, expiresAt: content.expiration.map { $0 * 1000 },
                isNowOrNever: content.expiration == 0)
            let waits = content.pushType == "background" ? quotas.background(token ?? "", now: now) : 0
            treatment.outgoing = devices.accept(message, for: token ?? "", now: now, waits: waits)
        }
        return treatment
    }

    private mutating func judgeAPNS(
        _ headers: APNSHeaders, _ body: [UInt8], token: String, _ judgement: ProviderTokens.Judgement,
        _ environment: String, now: Int64
    ) -> Verdict<APNSCheck.Content, (APNSReason, timestamp: Int64?)> {
        let topics: [String]?
        switch judgement {
        case .refused(let reason): return .refused((reason, nil))
        case .accepted(let allowed, _): topics = allowed
        }
        let content: APNSCheck.Content
        switch APNSCheck.content(headers, body: body, topics: topics) {
        case .refused(let reason): return .refused((reason, nil))
        case .content(let read): content = read
        }
        guard let device = devices.state(of: token, provider: "apns", environment: environment) else {
            return .refused((.badDeviceToken, nil))
        }
        guard let topic = headers.topic, topic == device.app else { return .refused((.deviceTokenNotForTopic, nil)) }
        switch device.state {
        case .active: break
        case .unregistered(let since): return .refused((.unregistered, since))
        case .expired(let since): return .refused((.expiredToken, since))
        }
        guard quotas.apnsDevice(token, now: now) == 0 else { return .refused((.tooManyRequests, nil)) }
        return .accepted(content)
    }

    private func scriptedAPNS(_ action: Action?, id: String, now: Int64) -> ProviderAnswer? {
        if let status = action?.html { return .html(status) }
        guard let answer = action?.answer else { return nil }
        let reason = answer.reason.flatMap(APNSReason.init(rawValue:))
        let status = answer.status ?? reason?.status ?? 500
        var headers: Headers = ["apns-id": id]
        if let retryAfter = answer.retryAfter { headers.append("retry-after", retryAfter) }
        var body: [UInt8] = []
        if let literal = answer.body {
            body = Array(literal.utf8)
        } else if let word = answer.reason {
            var members: [JSONValue.Member] = [.init("reason", .string(word))]
            if status == 410 { members.append(.init("timestamp", .integer(answer.timestamp ?? now))) }
            body = JSONValue.object(members).bytes
        }
        return ProviderAnswer(
            status: status, headers: headers, body: body, reason: status == 200 ? nil : answer.reason ?? "scripted")
    }
}
