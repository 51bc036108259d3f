import Glibc

/// Asks the system for a name's addresses, afresh for every connection, on a thread of its own: the system's resolver
/// blocks for as long as it likes.
enum Resolver {
    typealias Answer = @Sendable (Result<[SocketAddress], HTTP2Error>) -> Void
    /// Calls back once, on any thread.
    typealias LookUp = @Sendable (_ host: String, _ port: UInt16, _ answer: @escaping Answer) -> Void

    private final class Question {
        let host: String
        let port: UInt16
        let answer: Answer

        init(host: String, port: UInt16, answer: @escaping Answer) {
            self.host = host
            self.port = port
            self.answer = answer
        }
    }

    /// A connection is rare enough to pay for a thread.
    static let system: LookUp = { host, port, answer in
        let question = Unmanaged.passRetained(Question(host: host, port: port, answer: answer))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { context in
                let question = Unmanaged<Question>.fromOpaque(context!).takeRetainedValue()
                question.answer(SocketAddress.lookUp(host: question.host, port: question.port))
                return nil
            }, question.toOpaque())
        guard failure == 0 else {
            question.release()
            return answer(.failure(HTTP2Error("name \(host): the system refused another thread")))
        }
        pthread_detach(thread)
    }
}
