import LocalStack

extension ChaosStage {
    /// Four, each with three devices on every route.
    func makeAccounts(_ name: String) async throws -> [TokenAccount] {
        var accounts: [TokenAccount] = []
        for number in 0..<4 {
            accounts.append(
                try await TokenAccount.make(
                    "\(name)-\(number)", routes: routes + routes + routes, on: stack, in: database))
        }
        return accounts
    }
}
