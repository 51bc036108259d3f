/// The quick brake: when half of a route's latest answers suspect the token, something else is wrong, and the route
/// pauses long before the recorder judges.
struct SuspicionBrake: Equatable {
    private let window: Int
    private let minimum: Int
    private var answers: [Bool] = []
    private var next = 0
    private var suspicions = 0

    init(window: Int, minimum: Int) {
        self.window = max(1, window)
        self.minimum = minimum
    }

    /// An answer that says something about a token; true if the brake trips, which also clears it.
    mutating func answered(suspicion: Bool) -> Bool {
        if answers.count < window {
            answers.append(suspicion)
        } else {
            if answers[next] { suspicions -= 1 }
            answers[next] = suspicion
            next = (next + 1) % window
        }
        if suspicion { suspicions += 1 }
        guard suspicion, suspicions >= minimum, suspicions * 2 >= answers.count else { return false }
        self = SuspicionBrake(window: window, minimum: minimum)
        return true
    }
}
