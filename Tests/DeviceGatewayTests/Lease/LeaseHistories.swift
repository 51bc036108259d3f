/// All that whole transactions can make of a lease, as a graph, and paths from its root that take every edge.
struct LeaseHistories {
    struct Edge {
        var step: LeaseModel.Step
        var answer: String?
        /// The node it leads to, and which of the devices here is there the first, second and third.
        var target: Int
        var order: [Int]
        /// Equal where the server cannot tell the difference.
        var call: Int
    }

    /// A step as the server sees it: not what the devices remember, nor which of two that are alike takes it.
    private struct Call: Hashable {
        var state: LeaseModel
        var step: LeaseModel.Step
    }

    /// A step by who takes it, whatever order the model has its devices in.
    struct Move {
        var kind: String
        var who = 0
        var epoch = 0
        var answer: String?
        var state: LeaseModel
    }

    struct Node {
        var state: LeaseModel
        var edges: [Edge] = []
        /// The shortest way from the root: the node before, and the edge there.
        var parent: (node: Int, edge: Int)?
    }

    private(set) var nodes: [Node] = []
    private(set) var callCount = 0

    init() throws {
        var numbers: [LeaseModel: Int] = [LeaseModel(): 0]
        var calls: [Call: Int] = [:]
        nodes = [Node(state: LeaseModel())]
        var current = 0
        while current < nodes.count {
            let state = nodes[current].state
            for step in Self.wholeSteps(of: state) {
                let (next, order) = try Self.after(state, step).withSpentAttempts.sorted
                let target = numbers[next] ?? nodes.count
                if target == nodes.count {
                    numbers[next] = target
                    nodes.append(Node(state: next, parent: (current, nodes[current].edges.count)))
                }
                let call = calls[Self.call(step, in: state), default: calls.count]
                calls[Self.call(step, in: state)] = call
                nodes[current].edges.append(
                    Edge(step: step, answer: state.answer(to: step), target: target, order: order, call: call))
            }
            current += 1
        }
        callCount = calls.count
    }

    private static func call(_ step: LeaseModel.Step, in state: LeaseModel) -> Call {
        var seen = state
        for number in seen.devices.indices { seen.devices[number].known = 0 }
        let (sorted, order) = seen.sorted
        func place(_ number: Int) -> Int {
            order.firstIndex {
                seen.devices[$0] == seen.devices[number] && (seen.holder == $0) == (seen.holder == number)
            } ?? 0
        }
        let same: LeaseModel.Step =
            switch step {
            case .grant(let number, _): .grant(place(number), answerLost: false)
            case .forget(let number): .forget(place(number))
            case .renew(let number, let epoch): .renew(place(number), epoch)
            case .release(let number, let epoch): .release(place(number), epoch)
            case .check(let number, let epoch): .check(place(number), epoch)
            case .revoke(let number): .revoke(place(number))
            case .sweep(let number): .sweep(place(number))
            default: step
            }
        return Call(state: sorted, step: same)
    }

    /// Every call that the server can tell from others is on one of them.
    func paths() -> [[Move]] {
        var isOpen = [Bool](repeating: true, count: callCount)
        var paths: [[Move]] = []
        for start in nodes.indices {
            while nodes[start].edges.contains(where: { isOpen[$0.call] }) {
                var path = wayThere(start)
                var node = start
                while true {
                    let edges = nodes[node].edges
                    // What changes nothing first, because it does not lead away.
                    let next =
                        edges.firstIndex { isOpen[$0.call] && $0.target == node } ?? edges.lastIndex { isOpen[$0.call] }
                    guard let next else { break }
                    isOpen[edges[next].call] = false
                    path.append((node, next))
                    node = edges[next].target
                }
                paths.append(moves(path))
            }
        }
        return paths
    }

    private func wayThere(_ end: Int) -> [(node: Int, edge: Int)] {
        var way: [(node: Int, edge: Int)] = []
        var node = end
        while let parent = nodes[node].parent {
            way.append(parent)
            node = parent.node
        }
        return way.reversed()
    }

    private func moves(_ path: [(node: Int, edge: Int)]) -> [Move] {
        var who = [0, 1, 2]
        return path.map { node, number in
            let edge = nodes[node].edges[number]
            let state = nodes[edge.target].state
            var move = Move(kind: "", answer: edge.answer, state: state)
            switch edge.step {
            case .tick: (move.kind, move.epoch) = ("tick", nodes[node].state.hardLeft == 1 ? 1 : 0)
            case .grant(let number, _): (move.kind, move.who) = ("acquire", who[number])
            case .forget(let number): (move.kind, move.who) = ("forget", who[number])
            case .renew(let number, let epoch): (move.kind, move.who, move.epoch) = ("renew", who[number], Int(epoch))
            case .release(let number, let epoch):
                (move.kind, move.who, move.epoch) = ("release", who[number], Int(epoch))
            case .check(let number, let epoch): (move.kind, move.who, move.epoch) = ("submit", who[number], Int(epoch))
            case .revoke(let number): (move.kind, move.who) = ("revoke", who[number])
            case .sweep(let number): (move.kind, move.who) = ("sweep", who[number])
            case .crash, .arrive, .submit: preconditionFailure("not a whole transaction")
            }
            who = edge.order.map { who[$0] }
            return move
        }
    }

    /// Steps that are one transaction each, and time.
    private static func wholeSteps(of state: LeaseModel) -> [LeaseModel.Step] {
        let steps = state.steps().filter {
            switch $0 {
            case .tick, .renew, .release, .forget, .check, .revoke, .sweep: true
            default: false
            }
        }
        let grants = state.devices.indices.flatMap { number in
            [false, true].map { LeaseModel.Step.grant(number, answerLost: $0) }
        }
        return steps + grants.filter { !state.isAtItsEnd(for: $0) }
    }

    private static func after(_ state: LeaseModel, _ step: LeaseModel.Step) throws -> LeaseModel {
        let next = try state.after(step)
        if case .check(let number, _) = step { return try next.after(.submit(number)) }
        return next
    }
}

extension LeaseModel {
    /// Without the difference between attempts that are over.
    fileprivate var withSpentAttempts: LeaseModel {
        var state = self
        for number in devices.indices where devices[number].attempt != 0 {
            if !isCurrent(number, devices[number].attempt) || left == 0 { state.devices[number].attempt = -1 }
        }
        return state
    }
}
