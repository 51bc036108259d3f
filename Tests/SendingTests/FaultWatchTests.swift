import Testing

@testable import Sending

struct FaultWatchTests {
    @Test func `one faulty request is buried and the next is not`() {
        var watch = FaultWatch()
        #expect(watch.shouldBury() == true)
        #expect(watch.shouldBury() == false)
        #expect(watch.shouldBury() == false)
    }

    @Test func `an acceptance between allows another exemplar`() {
        var watch = FaultWatch()
        #expect(watch.shouldBury() == true)
        watch.accepted()
        #expect(watch.shouldBury() == true)
    }
}
