import Daemon
import OutboxRelay
import TestSupport
import Testing

struct SettingsPageTests {
    @Test func `every setting is on its page, with its default`() throws {
        let reader = EnvironmentReader([:])
        _ = OutboxRelay.Configuration(reader)
        #expect(reader.settings.count > 3)
        let faults = try SettingsPage().faults(of: reader.settings)
        #expect(faults == [])
    }
}
