import Synchronization
import Testing

@testable import Daemon

@Suite struct LogTests {
    @Test func `a line is one JSON object with sorted data`() {
        let line = LogLine(
            level: .warning, message: "odd \"thing\"", metadata: ["b": 2, "a": "x\ny\u{1}", "c": true],
            time: 1_770_091_506_789)
        #expect(
            line.encoded()
                == #"{"time":"2026-02-03T04:05:06.789Z","level":"warning","message":"odd \"thing\"","a":"x\ny\u0001","b":2,"c":true}"#
        )
    }

    @Test func `a line carries the data of the task around it`() async {
        let lines = Mutex<[LogLine]>([])
        await Log.$sink.withValue({ line in lines.withLock { $0.append(line) } }) {
            await Log.with([.job: "j", .attempt: 1]) {
                await Task { Log.info("inside", [.attempt: 2]) }.value
            }
            Log.info("outside")
        }
        #expect(lines.withLock { $0.map(\.metadata) } == [[.job: "j", .attempt: 2], [:]])
    }
}
