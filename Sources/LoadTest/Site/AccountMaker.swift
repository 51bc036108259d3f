import Cryptography
import Daemon
import Delivery
import LocalStack
import Postgres

/// Makes the accounts of a test: most are nothing but tokens, some have phones.
struct AccountMaker {
    let site: LoadSite
    let plan: LoadPlan
    let database: Database
    /// Of the accounts' names, so that tests on one system do not meet.
    let prefix: String

    static let phonesOfAccount = 8

    /// Accounts, and the processes of their phones.
    func make() async throws -> (accounts: [LoadAccount], phones: [Phones]) {
        let counts = plan.devices.counts(accounts: plan.accounts, seed: plan.seed)
        var random = SplitMix64(seed: plan.seed ^ 0x10AD)
        var routes = plan.routes.routes(of: counts.reduce(0, +), using: &random)[...]
        var accounts: [LoadAccount] = []
        for (number, count) in counts.enumerated() {
            let made = try await TokenAccount.make(
                "\(prefix)-\(number)", routes: Array(routes.prefix(count)), tokenKeys: site.tokenKeys,
                appsFile: site.appsFile, control: site.providers, in: database)
            routes = routes.dropFirst(count)
            accounts.append(
                LoadAccount(
                    name: made.name,
                    devices: made.devices.map { LoadAccount.Device(id: $0.id, route: $0.route, token: $0.token) }))
        }
        let phones = try await startPhones()
        for each in phones { accounts.append(try await account(of: each)) }
        return (accounts, phones)
    }

    private func startPhones() async throws -> [Phones] {
        guard plan.phones > 0 else { return [] }
        guard let stack = site.stack else {
            throw CommandFailure(.usage, "--phones needs a private stack: leave out the addresses of another one")
        }
        var phones: [Phones] = []
        var left = plan.phones
        while left > 0 {
            let count = min(left, Self.phonesOfAccount)
            phones.append(
                try await Phones.start(
                    on: stack, account: "\(prefix)-phones-\(phones.count)", ios: (count + 1) / 2, android: count / 2))
            left -= count
        }
        return phones
    }

    /// Phones chose ids and tokens by themselves.
    private func account(of phones: Phones) async throws -> LoadAccount {
        let name = await phones.account
        let vault = TokenVault(keys: try TokenKeys(json: site.tokenKeys))
        var devices: [LoadAccount.Device] = []
        for row in try await database.query(
            """
            SELECT d.device_id, t.provider, t.app, t.environment, t.sealed, t.sealing_key_id
              FROM delivery.device d JOIN delivery.push_token t ON t.device_id = d.device_id AND t.state = 'active'
             WHERE d.account_id = \(name) ORDER BY d.device_id
            """)
        {
            let id: Identifier = try row["device_id"]
            let word: String = try row["provider"]
            let app: String = try row["app"]
            let environment: String = try row["environment"]
            guard let provider = Provider(rawValue: word) else { continue }
            let token = try vault.open(
                try row["sealed"], keyID: try row["sealing_key_id"],
                for: TokenSubject(device: id.bytes, provider: word, app: app, environment: environment))
            devices.append(
                LoadAccount.Device(
                    id: id, route: Route(provider: provider, environment: environment, app: app), token: token))
        }
        return LoadAccount(name: name, devices: devices, hasPhones: true)
    }
}
