import Delivery

/// When a campaign strikes and whom: drawn from its seed alone.
struct FaultSchedule: Equatable, Sendable {
    /// One stroke against one relay.
    struct Stroke: Equatable, Sendable {
        let step: Step
        /// Which of the relays.
        let relay: Int
        /// From the step, or from the last stroke where there is no step, to this one.
        let delay: Duration
    }

    /// Where in the life of a publish a relay is struck.
    enum Step: String, CaseIterable, Sendable {
        /// Wherever it is.
        case anywhere
        /// In the claim statement, before it commits.
        case claiming
        /// Claimed and written to the socket, not yet at the broker.
        case claimed
        /// At the broker, whose confirm is on its way.
        case published
        /// In the statement that notes the confirm, before it commits.
        case confirming
    }

    let strokes: [Stroke]

    init(seed: Int, rounds: Int, relays: Int) {
        var random = SplitMix64(seed: UInt64(bitPattern: Int64(seed)))
        // Every step has its turn, in an order of the seed's, so that a short campaign is no matter of luck.
        var steps: [Step] = []
        while steps.count < rounds { steps += Step.allCases.shuffled(using: &random) }
        strokes = steps.prefix(rounds).map { step in
            Stroke(
                step: step, relay: Int.random(in: 0..<relays, using: &random),
                delay: .milliseconds(Int64.random(in: 0...300, using: &random)))
        }
    }
}
