import Daemon
import Testing

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("0", Duration.zero), ("250ms", .milliseconds(250)), ("15s", .seconds(15)), ("2m", .seconds(120)),
        ("1h", .seconds(3_600)), ("30d", .seconds(30 * 86_400)),
    ])
    func `a spelling and its duration belong together`(text: String, duration: Duration) {
        #expect(DurationText.parse(text) == duration)
        #expect(DurationText.format(duration) == text)
    }

    @Test(arguments: ["", "5", "s", "-1s", "1.5s", "1 s", "99999999999999999999d", "9223372036854775807d"])
    func `anything else is refused`(text: String) {
        #expect(DurationText.parse(text) == nil)
    }
}
