import Daemon
import FanoutCoordinator
import TestSupport
import Testing

struct SettingsPageTests {
    @Test func `every setting is on its page, with its default`() throws {
        let reader = EnvironmentReader([:])
        _ = FanoutCoordinator.Configuration(reader)
        #expect(reader.settings.count > 3)
        let faults = try SettingsPage().faults(of: reader.settings)
        #expect(faults == [])
    }
}
