import Postgres
import Testing

@testable import Operations

struct TextTests {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1,000"), (99_999, "99,999"), (100_000, "100k"), (1_204_567, "1,204k"),
        (100_000_000, "100M"), (-1234, "-1,234"),
    ])
    func `a count takes seven columns at most`(_ number: Int, _ text: String) {
        #expect(NumberText.format(number) == text)
    }

    @Test(arguments: [(0.0, "0"), (0.01, "0.1"), (1.26, "1.3"), (9.94, "9.9"), (9.96, "10"), (1234.5, "1,235")])
    func `a rate below ten has one decimal`(_ rate: Double, _ text: String) {
        #expect(NumberText.rate(rate) == text)
    }

    @Test(arguments: [
        (Duration.zero, "0s"), (.milliseconds(59_999), "59s"), (.seconds(60), "1m00s"), (.seconds(3599), "59m59s"),
        (.seconds(3660), "1h01m"), (.seconds(86_400), "1d00h"), (.seconds(-5), "0s"),
    ])
    func `an age has its two largest units`(_ age: Duration, _ text: String) { #expect(AgeText.format(age) == text) }

    @Test(arguments: [
        ("2026-12-01T03:00:00Z", 1_796_094_000_000_000), ("2026-12-01 03:00Z", 1_796_094_000_000_000),
        ("2026-12-01T04:00:00.5+01:00", 1_796_094_000_500_000), ("1970-01-01T00:00:00Z", 0),
        ("2000-02-29T23:59:59-00:30", 951_870_599_000_000),
    ])
    func `an instant is read with its zone`(_ text: String, _ microseconds: Int64) {
        #expect(InstantText.parse(text) == Timestamp(microseconds: microseconds))
    }

    @Test(arguments: [
        "", "yesterday", "2026-12-01", "2026-12-01T03:00:00", "2026-13-01T03:00:00Z", "2026-02-29T03:00:00Z",
        "2026-12-01T24:00:00Z", "2026-12-01T03:60:00Z", "2026-12-01T03:00:00.Z", "2026-12-01T03:00:00 Z",
        "2026-12-01T03:00:00+0100", "2026-12-01T03:00:00Zulu",
    ])
    func `no other text is an instant`(_ text: String) { #expect(InstantText.parse(text) == nil) }

    @Test func `an instant is written as it is read`() throws {
        let instant = Timestamp(microseconds: 1_796_094_000_123_000)
        #expect(instant.utcText == "2026-12-01 03:00:00Z")
        #expect(InstantText.parse(instant.isoText) == instant)
    }

    @Test func `a name without room beside its figures has a line of its own`() {
        var table = TextTable(["name", "n"], width: 12)
        table.add(["short", "1"])
        table.add(["much too long", "12345"])
        #expect(table.lines() == [["name       n"], ["short      1"], ["much too long", "       12345"]])
    }

    @Test func `words are wrapped and later lines indented`() {
        #expect("  one two three".wrapped(to: 9, indent: 4) == ["  one two", "    three"])
        #expect("overlongword".wrapped(to: 5) == ["overlongword"])
    }

    @Test func `what others wrote cannot speak to the terminal`() {
        #expect("a\u{1B}[31mb\nc".printable == "a [31mb c")
    }

    @Test func `colour only where it is wanted`() {
        #expect(Style.plain.alarm("x") == "x")
        #expect(Style(isColoured: true).alarm("x") == "\u{1B}[31;1mx\u{1B}[0m")
    }
}
