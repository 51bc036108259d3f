import Delivery
import DeviceFleet
import DeviceKit
import Messages
import Synchronization

/// Whether a process still runs. One that was ended or is suspended does nothing more.
final class ProcessLife: Sendable {
    private let isOver = Mutex(false)

    var isRunning: Bool { isOver.withLock { !$0 } }
    func end() { isOver.withLock { $0 = true } }
}

/// The way from one process of a phone to the gateway, with the network that the phone has at the moment.
struct PhoneTransport: Transport {
    let base: HTTPTransport
    let life: ProcessLife
    let network: PhoneNetwork
    let record: PhoneRecord

    var authority: String { base.authority }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard life.isRunning else { throw .stopped }
        guard network.isOnline else { throw .offline }
        await network.pass(request)
        let answer: TransportResponse
        do {
            answer = try await base.send(request)
        } catch {
            record.add(.call(method: request.method, path: request.path, status: nil))
            throw error
        }
        record.add(.call(method: request.method, path: request.path, status: answer.status))
        guard life.isRunning else { throw .stopped }
        guard network.isOnline else { throw .failed("the connection was lost") }
        if network.losesAnswer(to: request) { throw .failed("the answer was lost") }
        return network.received(answer, to: request)
    }
}

/// A phone's network: there or not, and what is to go wrong on it.
final class PhoneNetwork: Sendable {
    private struct State {
        var isOnline = true
        var losesNextSubmitAnswer = false
        var beforeClaim: (@Sendable () async -> Void)?
        /// Planted: the newest job that a listing has named.
        var cursor: String?
        let listsByCursor: Bool
    }

    private let state: Mutex<State>

    init(listsByCursor: Bool) { state = Mutex(State(listsByCursor: listsByCursor)) }

    var isOnline: Bool { state.withLock { $0.isOnline } }
    func set(isOnline: Bool) { state.withLock { $0.isOnline = isOnline } }

    /// The gateway takes the next submission, and the phone never hears of it.
    func loseNextSubmitAnswer() { state.withLock { $0.losesNextSubmitAnswer = true } }

    /// Nothing goes wrong any more.
    func calm() {
        state.withLock {
            $0.losesNextSubmitAnswer = false
            $0.beforeClaim = nil
        }
    }

    /// Once, before the next claim goes out.
    func beforeNextClaim(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.beforeClaim = body } }

    func pass(_ request: TransportRequest) async {
        guard request.path.hasSuffix("/claim") else { return }
        let body = state.withLock { state in
            defer { state.beforeClaim = nil }
            return state.beforeClaim
        }
        await body?()
    }

    func losesAnswer(to request: TransportRequest) -> Bool {
        guard request.method == "PUT", request.path.contains("/fanout/") else { return false }
        return state.withLock { state in
            defer { state.losesNextSubmitAnswer = false }
            return state.losesNextSubmitAnswer
        }
    }

    /// Planted: leaves out of a listing what has a lower id than the last one seen.
    func received(_ answer: TransportResponse, to request: TransportRequest) -> TransportResponse {
        guard request.path == "/v1/sync", answer.status == 200 else { return answer }
        return state.withLock { state in
            guard state.listsByCursor, var page = try? JSONValue(parsing: answer.body).object else { return answer }
            let jobs = page["jobs"]?.array ?? []
            let cursor = state.cursor ?? ""
            let newer = jobs.filter { ($0["job"]?.string ?? "") > cursor }
            page["jobs"] = .array(newer)
            state.cursor = max(cursor, newer.compactMap { $0["job"]?.string }.max() ?? "")
            var answer = answer
            answer.body = JSONValue.object(page).encoded()
            return answer
        }
    }
}
