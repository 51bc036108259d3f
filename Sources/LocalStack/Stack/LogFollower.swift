import FoundationEssentials
import Glibc

/// Reads the lines of a file that another process writes, each as soon as it is complete.
public struct LogFollower: AsyncSequence, Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    public func makeAsyncIterator() -> Iterator { Iterator(path: path) }

    /// Ends only when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        let path: String
        private var offset: UInt64 = 0
        private var rest: [UInt8] = []
        private var lines: [String] = []

        init(path: String) { self.path = path }

        public mutating func next() async -> String? {
            while lines.isEmpty {
                read()
                if lines.isEmpty {
                    // No descriptor tells of a regular file that grew.
                    do { try await Task.sleep(for: .milliseconds(10)) } catch { return nil }
                }
            }
            return lines.removeFirst()
        }

        private mutating func read() {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            while case let count = pread(descriptor, &chunk, chunk.count, off_t(offset)), count > 0 {
                offset += UInt64(count)
                rest += chunk[..<count]
            }
            var pieces = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = Array(pieces.removeLast())
            lines += pieces.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
