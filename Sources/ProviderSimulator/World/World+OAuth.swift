import HTTP2

extension World {
    mutating func treatOAuth(
        _ request: ProviderRequest, now: Int64, random: inout some RandomNumberGenerator
    ) -> Treatment {
        let action = action(request, token: nil)
        if let status = action?.html { return Treatment(answer: .html(status), action: action) }
        if let scripted = action?.answer {
            let word = scripted.reason ?? "server_error"
            var answer = AccessTokens.refusal(word, "Scripted.", status: scripted.status)
            if let retryAfter = scripted.retryAfter { answer.headers.append("retry-after", retryAfter) }
            if let body = scripted.body { answer.body = Array(body.utf8) }
            return Treatment(answer: answer, action: action)
        }
        let part = Self.hex(40, &random)
        let answer = accessTokens.exchange(request, audience: tokenAddress, now: now / 1000) { part }
        return Treatment(answer: answer, action: action)
    }
}
