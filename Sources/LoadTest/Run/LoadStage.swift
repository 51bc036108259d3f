import DeviceFleet
import LocalStack
import Postgres

/// What a test has before it begins: accounts, arrivals, phones.
struct LoadStage: Sendable {
    let site: LoadSite
    let database: Database
    let accounts: [LoadAccount]
    let arrivals: [Arrival]
    let phones: [Phones]
    let outsiders: [Outsider]
    let author: AuthorKey?
    /// `LoadPlan.stampsPublish`
    let stampsPublish: Bool

    static func make(_ site: LoadSite, _ plan: LoadPlan, _ database: Database) async throws -> LoadStage {
        let made = try await AccountMaker(
            site: site, plan: plan, database: database, prefix: "load-\(MachineClock.now)"
        ).make()
        let author =
            try made.phones.isEmpty
            ? nil : site.stack.map { try AuthorKey.loadOrMake(StackSetup($0.site).producerKeyFile) }
        let arrivals = Arrival.all(
            plan.shape, seconds: plan.seconds, isEven: plan.isEven, skew: plan.skew, accounts: made.accounts.count,
            seed: plan.seed)
        return LoadStage(
            site: site, database: database, accounts: made.accounts, arrivals: arrivals, phones: made.phones,
            outsiders: (0..<plan.outsiders).map { Outsider($0, url: site.amqpURL) }, author: author,
            stampsPublish: plan.stampsPublish)
    }

    var phoneAccounts: [String] { accounts.filter(\.hasPhones).map(\.name) }

    /// Ends what the test itself started; a private stack ends with everything else.
    func clear() async {
        for each in phones { await each.stop() }
        await database.close()
    }
}
