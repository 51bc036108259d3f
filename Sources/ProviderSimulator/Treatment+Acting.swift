import HTTP2

extension Action {
    /// Needs more than an answer's bytes.
    var touchesWire: Bool { breaksOff || split || goAway != nil || streams != nil }
}

extension Treatment {
    /// Does on the wire what was decided, in the order in which `docs/provider-simulator.md` lists it.
    func act(_ exchange: HTTP2.Exchange) async {
        if delayMilliseconds > 0 { try? await Task.sleep(for: .milliseconds(delayMilliseconds)) }
        guard let action else {
            await exchange.answer(answer.response)
            return
        }
        var isAnswered = true
        if let farewell = action.goAway {
            let last = farewell.lastStream(of: exchange.request.stream)
            await exchange.goAway(lastStream: last, code: farewell.code, debug: farewell.debugData)
            isAnswered = last.map { exchange.request.stream <= $0 } ?? true
        }
        if let streams = action.streams { await exchange.setConcurrentStreams(streams) }
        if action.afterHeaders { await exchange.begin(status: answer.status, headers: answer.headers) }
        if action.silence {
            await exchange.silence()
        } else if action.disconnect {
            await exchange.disconnect()
        } else if let code = action.reset {
            await exchange.reset(code)
        } else if !action.hang && isAnswered {
            if action.split { await split(exchange) } else { await exchange.answer(answer.response) }
        }
    }

    private func split(_ exchange: HTTP2.Exchange) async {
        await exchange.begin(status: answer.status, headers: answer.headers)
        let half = answer.body.count / 2
        await exchange.write(Array(answer.body[..<half]))
        await exchange.write(Array(answer.body[half...]), end: true)
    }
}

extension Action.Farewell {
    /// nil: the newest that the server has seen.
    fileprivate func lastStream(of stream: Int32) -> Int32? {
        switch last {
        case .newest: nil
        case .before: max(0, stream - 2)
        case .this: stream
        case .all: Int32.max
        case .stream(let number): number
        }
    }

    fileprivate var debugData: String {
        reason.isEmpty || reason.contains("_") ? reason : APNSReason.body(of: reason)
    }
}
