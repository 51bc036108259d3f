import Delivery
import Postgres
import Storage
import Testing

/// Histories of the model on a real database, where the lease has to be in the model's state after each step.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LeaseHistoryTests {
    typealias Step = LeaseModel.Step

    /// Without revocation, whose second half is the coordinator's, and without what happens inside a transaction.
    private static func wholeSteps(_ state: LeaseModel) -> [Step] {
        let submissions = state.steps().filter { if case .check = $0 { true } else { false } }
        return submissions
            + state.steps().filter {
                switch $0 {
                case .tick, .renew, .release, .forget: true
                default: false
                }
            } + state.devices.indices.flatMap { [Step.grant($0, answerLost: false), .grant($0, answerLost: true)] }
    }

    private static func after(_ state: LeaseModel, _ step: Step) throws -> LeaseModel {
        let next = try state.after(step)
        if case .check(let number, _) = step { return try next.after(.submit(number)) }
        return next
    }

    /// The shortest history to every state of fewer steps than the limit, and from there every step, also one that is
    /// refused.
    private static func histories(steps limit: Int) throws -> [[Step]] {
        var seen: Set<LeaseModel> = [LeaseModel()]
        var front: [(state: LeaseModel, history: [Step])] = [(LeaseModel(), [])]
        var found: [[Step]] = []
        for _ in 0..<limit {
            var next: [(state: LeaseModel, history: [Step])] = []
            for (state, history) in front {
                for step in wholeSteps(state) {
                    let reached = try after(state, step)
                    found.append(history + [step])
                    if seen.insert(reached.canonical).inserted { next.append((reached, history + [step])) }
                }
            }
            front = next
        }
        return found
    }

    @Test func `the database takes every short history as the model does`() async throws {
        let histories = try Self.histories(steps: 5)
        #expect(histories.count > 200)
        try await withWorld { world in
            var phones: [Phone] = []
            for _ in 0..<3 { phones.append(try await world.enrol()) }
            for history in histories {
                let job = try await world.commit()
                for phone in phones { try await world.claim(phone, job) }
                try await replay(history, job, phones, world)
            }
        }
    }

    private func replay(_ history: [Step], _ job: Identifier, _ phones: [Phone], _ world: World) async throws {
        var model = LeaseModel()
        var grants: [Int8: World.Grant] = [:]
        var attempts = phones.map { _ in Identifier.random() }
        for step in history {
            switch step {
            case .tick: try await world.expire(job, hard: model.hardLeft == 1)
            case .grant(let number, _):
                let grant = try await world.acquire(
                    phones[number], job, attempt: attempts[number], coolDown: .zero)
                if grant.outcome == "granted", let epoch = grant.epoch {
                    #expect(grants[Int8(epoch)].map { $0.nonce == grant.nonce } ?? true, "\(history)")
                    grants[Int8(epoch)] = grant
                }
            case .forget(let number): attempts[number] = .random()
            case .renew(let number, let epoch):
                _ = try await world.renew(phones[number], job, try #require(grants[epoch]))
            case .release(let number, let epoch):
                _ = try await world.release(phones[number], job, try #require(grants[epoch]))
            case .check(let number, let epoch):
                _ = try await world.submit(phones[number], job, try #require(grants[epoch]))
            default: break
            }
            model = try Self.after(model, step)
            let row = try await world.administrator.query(
                "SELECT state, epoch FROM delivery.fanout_lease WHERE job_id = \(job)"
            ).one()
            #expect(try row.get("state", as: String.self) == "\(model.lease)", "\(history)")
            #expect(try row.get("epoch", as: Int64.self) == Int64(model.epoch), "\(history)")
        }
    }
}
