import Daemon
import Glibc
import Testing

/// Whole processes: signals end only the one that gets them.
@Suite(.timeLimit(.minutes(2))) struct DaemonMainTests {
    @Test func `SIGTERM ends in good order`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            try await DaemonMain.run("test", environment: [:]) { _ in
                [
                    ServiceTask("service") {
                        kill(getpid(), SIGTERM)
                        await Shutdown.current.wait()
                    }
                ]
            }
            exit(7)
        }
    }

    @Test func `a second signal ends at once`() async {
        await #expect(processExitsWith: .exitCode(128 + SIGINT)) {
            try await DaemonMain.run("test", environment: [:]) { _ in
                [
                    ServiceTask("deaf") {
                        kill(getpid(), SIGINT)
                        await Shutdown.current.wait()
                        kill(getpid(), SIGINT)
                        await Shutdown().wait()
                    }
                ]
            }
        }
    }

    @Test func `who heeds nothing is ended by force`() async {
        await #expect(processExitsWith: .exitCode(Daemon.ExitStatus.software.rawValue)) {
            try await DaemonMain.run("test", environment: ["MOBILE_DELIVERY_STOP_WITHIN": "1s"]) { _ in
                [
                    ServiceTask("deaf") {
                        kill(getpid(), SIGTERM)
                        // Deaf to cancellation too.
                        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                    }
                ]
            }
        }
    }

    @Test func `bad settings are one failure, before anything runs`() async {
        let failure = await #expect(throws: CommandFailure.self) {
            try await DaemonMain.run("test", environment: ["MOBILE_DELIVERY_ADMIN_LISTEN": "nowhere"]) { context in
                _ = context.environment.string("DATABASE_URL")
                try context.environment.finish()
                return []
            }
        }
        #expect(failure?.status == .configuration)
        #expect(failure?.line.contains("MOBILE_DELIVERY_ADMIN_LISTEN") == true)
        #expect(failure?.line.contains("DATABASE_URL") == true)
    }
}
