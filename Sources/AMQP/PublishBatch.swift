/// What became of one message of several that were published together.
public struct PublishedMessage: Equatable, Sendable {
    /// Its place in the list.
    public let index: Int
    public let result: PublishResult
}

/// Messages published together. Each word of the broker settles many of them, and is told as one group.
///
/// Lives on the thread of its connection.
final class PublishBatch {
    private let continuation: AsyncStream<[PublishedMessage]>.Continuation
    private var untold: Int
    private var group: [PublishedMessage] = []

    init(count: Int, _ continuation: AsyncStream<[PublishedMessage]>.Continuation) {
        untold = count
        self.continuation = continuation
        if count == 0 { continuation.finish() }
    }

    /// Returns whether it is the first of a group: whoever notes has to `tell()` afterwards.
    func note(_ index: Int, _ result: PublishResult) -> Bool {
        group.append(PublishedMessage(index: index, result: result))
        return group.count == 1
    }

    /// Tells what was noted since the last time.
    func tell() {
        guard !group.isEmpty else { return }
        untold -= group.count
        continuation.yield(group)
        group = []
        if untold == 0 { continuation.finish() }
    }

    /// All of `count` ended in the same way.
    static func all(_ count: Int, _ result: PublishResult) -> AsyncStream<[PublishedMessage]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [PublishedMessage].self)
        let batch = PublishBatch(count: count, continuation)
        for index in 0..<count { _ = batch.note(index, result) }
        batch.tell()
        return stream
    }
}
