import Glibc
import Testing

/// A program that runs until `end()`.
struct ChildProgram {
    private let process: pid_t

    init(_ words: [String]) throws {
        var arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process = pid_t()
        let failure = posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
        try #require(failure == 0, "\(words[0]) is missing: install the packages of scripts/prepare.sh")
        self.process = process
    }

    func end() {
        // The child inherits our threads' blocked signals: nothing gentler arrives.
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }
}
