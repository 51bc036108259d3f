import DeviceKit
import DeviceStore
import Testing

@Suite struct NotificationPermissionTests {
    /// Every sequence of events up to a length that visits every state: what was shown, and in what order.
    @Test func `in every history there is one explanation and one prompt at most, and never a prompt first`() {
        struct History {
            var permission = NotificationPermission()
            var explanations = 0
            var prompts = 0
        }
        var histories = [History()]
        for _ in 0..<5 {
            var next: [History] = []
            for history in histories {
                for event in NotificationPermission.Event.allCases {
                    var copy = history
                    let before = copy.permission
                    for effect in copy.permission.apply(event) {
                        switch effect {
                        case .showExplanation: copy.explanations += 1
                        case .systemPrompt:
                            copy.prompts += 1
                            #expect(copy.explanations == 1)
                        case .passiveStatus, .registerForPush: break
                        }
                    }
                    #expect(copy.explanations <= 1 && copy.prompts <= 1)
                    #expect(copy.permission.wasExplained || !before.wasExplained)
                    next.append(copy)
                }
            }
            histories = next
        }
    }

    @Test(arguments: [
        NotificationPermission.Event.systemGranted, .systemDenied, .loggedOut, .explanationAccepted,
    ])
    func `every launch and every new enrolment registers for push, whatever the permission is`(
        event: NotificationPermission.Event
    ) {
        var permission = NotificationPermission()
        _ = permission.apply(event)
        #expect(permission.apply(.launched) == [.registerForPush])
        #expect(permission.apply(.enrolledAnew) == [.registerForPush])
    }

    @Test func `with alerts off the profile shows a line and a link, and prompts nothing`() {
        var permission = NotificationPermission()
        _ = permission.apply(.systemDenied)
        #expect(permission.apply(.profileOpened) == [.passiveStatus(isOn: false, settingsLink: true)])
        _ = permission.apply(.systemGranted)
        #expect(permission.apply(.profileOpened) == [.passiveStatus(isOn: true, settingsLink: false)])
    }

    @Test func `it outlives the process and is forgotten with the installation`() async throws {
        let store = MemoryStore()
        var permission = try await NotificationPermission.load(from: store)
        #expect(permission.apply(.benefitInContext) == [.showExplanation])
        #expect(permission.apply(.explanationAccepted) == [.systemPrompt])
        try await permission.save(in: store)
        #expect(try await NotificationPermission.load(from: store) == permission)
        #expect(try await NotificationPermission.load(from: MemoryStore()) == NotificationPermission())
    }
}
