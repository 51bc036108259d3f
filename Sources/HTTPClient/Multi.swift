import CCurl
import Reactor

/// libcurl's multi handle, driven by its sockets and its one timer. Touched by the client's thread alone.
final class Multi {
    private let handle: UnsafeMutableRawPointer
    private let reactor: ReactorThread
    private var transfers: [Int: Transfer] = [:]
    private var ids: [UnsafeMutableRawPointer: Int] = [:]
    private var deadline: ContinuousClock.Instant?

    init(reactor: ReactorThread, maximumConnectionsPerHost: Int) {
        self.reactor = reactor
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard let handle = curl_multi_init() else { preconditionFailure("libcurl gave no multi handle") }
        self.handle = handle
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_pointer(handle, CURLMOPT_SOCKETDATA, context)
        ccurl_multi_set_socket_callback(handle, watchSocket)
        ccurl_multi_set_pointer(handle, CURLMOPT_TIMERDATA, context)
        ccurl_multi_set_timer_callback(handle, setTimer)
        ccurl_multi_set_long(handle, CURLMOPT_MAX_HOST_CONNECTIONS, maximumConnectionsPerHost)
    }

    deinit {
        // Silenced first: the callbacks must not reach an object that is going away.
        ccurl_multi_set_socket_callback(handle, nil)
        ccurl_multi_set_timer_callback(handle, nil)
        curl_multi_cleanup(handle)
    }

    func add(_ transfer: Transfer) {
        transfers[transfer.id] = transfer
        ids[transfer.easy] = transfer.id
        curl_multi_add_handle(handle, transfer.easy)
    }

    func remove(_ id: Int) -> Transfer? {
        guard let transfer = transfers.removeValue(forKey: id) else { return nil }
        ids[transfer.easy] = nil
        curl_multi_remove_handle(handle, transfer.easy)
        return transfer
    }

    /// Lets libcurl serve its timer, and returns the transfers that ended with their results.
    func takeTurn() -> [(id: Int, result: Result<Response, HTTPClientError>)] {
        if let due = deadline, due <= .now {
            deadline = nil
            act(CURL_SOCKET_TIMEOUT, 0)
        }
        var ended: [(id: Int, result: Result<Response, HTTPClientError>)] = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(handle, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let code = ccurl_message_result(message)
            guard let id = ids[easy], let transfer = remove(id) else { continue }
            ended.append((id, transfer.result(code)))
        }
        return ended
    }

    var nextTurn: ContinuousClock.Instant? { deadline }

    fileprivate func act(_ socket: Int32, _ mask: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(handle, socket, mask, &running)
    }

    fileprivate func watch(_ socket: Int32, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else { return reactor.unwatch(socket) }
        var interest: Readiness = []
        if what == CURL_POLL_IN || what == CURL_POLL_INOUT { interest.insert(.read) }
        if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { interest.insert(.write) }
        reactor.watch(socket, for: interest) { [unowned self] ready in
            var mask: Int32 = 0
            if ready.contains(.read) { mask |= CURL_CSELECT_IN }
            if ready.contains(.write) { mask |= CURL_CSELECT_OUT }
            if ready.contains(.failure) { mask |= CURL_CSELECT_ERR }
            act(socket, mask)
        }
    }

    fileprivate func wakeAfter(_ milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }
}

/// `@convention(c)`: called by libcurl on the client's thread.
private func watchSocket(
    _: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
    _: UnsafeMutableRawPointer?
) -> Int32 {
    Unmanaged<Multi>.fromOpaque(context!).takeUnretainedValue().watch(socket, what)
    return 0
}

private func setTimer(_: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?) -> Int32 {
    Unmanaged<Multi>.fromOpaque(context!).takeUnretainedValue().wakeAfter(milliseconds)
    return 0
}
