import DeviceKit
import Testing

@Suite struct PushRegistrationTests {
    private func launched(_ events: PushRegistration.Event...) -> PushRegistration {
        var registration = PushRegistration()
        _ = registration.apply(.launched)
        for event in events { _ = registration.apply(event) }
        return registration
    }

    @Test func `every launch asks, with ten seconds for the answer`() {
        var registration = PushRegistration()
        #expect(registration.apply(.launched) == [.ask(request: 1, timeout: 10_000)])
    }

    @Test func `R-32: a platform that never answers holds nothing up, and is asked again at the next launch`() {
        var registration = launched(.enrolled, .timedOut(request: 1))
        #expect(registration.state == .pending)
        #expect(registration.apply(.launched) == [.ask(request: 2, timeout: 10_000)])
        #expect(registration.state == .asked)
    }

    @Test func `R-31: a token that comes late or unasked is uploaded all the same`() {
        var registration = launched(.enrolled, .timedOut(request: 1))
        #expect(registration.apply(.token("a")) == [.upload("a")])
        _ = registration.apply(.uploaded("a"))
        #expect(registration.apply(.token("b")) == [.upload("b")])
    }

    @Test func `a time-out after the answer changes nothing`() {
        var registration = launched(.enrolled, .token("a"), .uploaded("a"))
        #expect(registration.apply(.timedOut(request: 1)) == [])
        #expect(registration.state == .uploaded)
    }

    @Test func `a token that comes before the account is uploaded with the enrolment`() {
        var registration = launched()
        #expect(registration.apply(.token("a")) == [])
        #expect(registration.apply(.enrolled) == [.upload("a")])
    }

    @Test func `an upload that failed goes again when the app becomes active`() {
        var registration = launched(.enrolled, .token("a"), .uploadFailed)
        #expect(registration.apply(.becameActive) == [.upload("a")])
        _ = registration.apply(.uploaded("a"))
        #expect(registration.apply(.becameActive) == [])
    }

    @Test func `R-55: logging out detaches the token from the account, and the next launch asks for it all the same`() {
        var registration = launched(.enrolled, .token("a"), .uploaded("a"))
        #expect(registration.apply(.loggedOut) == [.detach])
        #expect(registration.apply(.launched) == [.ask(request: 2, timeout: 10_000)])
        #expect(registration.apply(.enrolled) == [.upload("a")])
    }

    @Test func `the answer to an upload of an older token confirms nothing`() {
        let registration = launched(.enrolled, .token("a"), .token("b"), .uploaded("a"))
        #expect(registration.state == .known)
    }
}
