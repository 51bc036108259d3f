/// How hard and how long a fault strikes.
public struct CampaignScale: Equatable, Sendable {
    /// How often; the fault's own number if nil.
    public var rounds: Int?
    /// How long whatever is down stays down.
    public var outage: Duration = .seconds(30)
    /// How long a campaign may take to end every row once the fault is over.
    public var patience: Duration = .seconds(120)

    public init(rounds: Int? = nil, outage: Duration = .seconds(30), patience: Duration = .seconds(120)) {
        self.rounds = rounds
        self.outage = outage
        self.patience = patience
    }

    func rounds(of fault: Fault) -> Int { rounds ?? fault.usualRounds }
}
