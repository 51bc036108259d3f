import Glibc

/// Looks names up on a thread of its own, because the system's resolver blocks for as long as it likes.
enum Resolver {
    private final class Question {
        let host: String
        let port: UInt16
        let answer: @Sendable (Result<[SocketAddress], HTTP2Error>) -> Void

        init(host: String, port: UInt16, answer: @escaping @Sendable (Result<[SocketAddress], HTTP2Error>) -> Void) {
            self.host = host
            self.port = port
            self.answer = answer
        }
    }

    /// Calls `answer` once, on that thread. A connection is rare enough to pay for one.
    static func lookUp(
        host: String, port: UInt16, answer: @escaping @Sendable (Result<[SocketAddress], HTTP2Error>) -> Void
    ) {
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
