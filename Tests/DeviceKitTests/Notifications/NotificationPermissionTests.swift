import DeviceKit
import DeviceStore
import Testing

@Suite struct NotificationPermissionTests {
    /// What an installation has shown, besides what it remembers.
    private struct History: Hashable {
        var permission = NotificationPermission()
        var explanations = 0
        var prompts = 0
        var isInOrder = true

        func after(_ event: NotificationPermission.Event) -> History {
            var next = self
            for effect in next.permission.apply(event) {
                switch effect {
                case .showExplanation: next.explanations += 1
                case .systemPrompt:
                    next.prompts += 1
                    next.isInOrder = next.isInOrder && next.explanations == 1
                case .passiveStatus, .registerForPush: break
                }
            }
            return next
        }
    }

    /// Every state that any history of events leads to; what was shown counts as part of the state, so the search ends only
    /// because nothing is ever shown a second time.
    private func reachable(limit: Int = 10_000) -> Set<History> {
        var seen: Set<History> = [History()]
        var open = [History()]
        while let state = open.popLast(), seen.count < limit {
            for event in NotificationPermission.Event.allCases {
                let next = state.after(event)
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        return seen
    }

    @Test func `R-33, R-53: no reachable state has a second explanation, a second prompt or a prompt first`() {
        let states = reachable()
        #expect(states.count > 8 && states.count < 10_000)
        for state in states { #expect(state.explanations <= 1 && state.prompts <= 1 && state.isInOrder, "\(state)") }
        #expect(states.contains { $0.prompts == 1 })
    }

    @Test func `in every state a launch and an enrolment register for push, and nothing else does`() {
        for state in reachable() {
            for event in NotificationPermission.Event.allCases {
                var permission = state.permission
                let registers = permission.apply(event).contains(.registerForPush)
                #expect(registers == (event == .launched || event == .enrolledAnew), "\(state) \(event)")
            }
        }
    }

    @Test func `R-54: in every state logging out and enrolling anew leave what was shown as it is`() {
        for state in reachable() {
            for event in [NotificationPermission.Event.loggedOut, .enrolledAnew, .launched] {
                #expect(state.after(event).permission == state.permission)
            }
        }
    }

    @Test func `R-34, R-56: in every state with alerts off the profile shows a line and a link, and prompts nothing`() {
        for state in reachable() {
            var permission = state.permission
            let isOn = permission.system == .granted
            #expect(permission.apply(.profileOpened) == [.passiveStatus(isOn: isOn, settingsLink: !isOn)])
        }
    }

    @Test func `R-54: it outlives the process and the account, and is forgotten with the installation`() async throws {
        let store = MemoryStore()
        var permission = try await NotificationPermission.load(from: store)
        #expect(permission.apply(.benefitInContext) == [.showExplanation])
        #expect(permission.apply(.explanationAccepted) == [.systemPrompt])
        try await permission.save(in: store)
        #expect(try await NotificationPermission.load(from: store) == permission)
        try await Device.eraseAccount(in: store)
        #expect(try await NotificationPermission.load(from: store) == permission)
        #expect(try await NotificationPermission.load(from: MemoryStore()) == NotificationPermission())
    }
}
