import Daemon
import Glibc
import HTTPClient
import LocalStack

/// Simulated phones on a stack, and the producer that commits for them.
struct SimulatedStage: Sendable {
    let producer: ProducerAPI
    let phones: VerifiedPhones
    let jobs: SeededIdentifiers

    /// Nobody has to unlock a phone here.
    static var patience: Verification.Patience {
        var patience = Verification.Patience()
        patience.completion = .seconds(30)
        patience.silence = .seconds(1)
        patience.deadToken = .seconds(30)
        patience.poll = .milliseconds(100)
        return patience
    }

    /// Takes the phones away afterwards; the stack stays.
    static func with<Value: Sendable>(
        _ stack: Stack, seed: UInt64, defect: VerificationDefect? = nil, _ body: (SimulatedStage) async throws -> Value
    ) async throws -> Value {
        let folder = "\(stack.site.folder)/verification"
        guard mkdir(folder, 0o700) == 0 else { throw CommandFailure(.cannotCreate, "cannot make \(folder)") }
        let client = Client()
        let jobs = SeededIdentifiers(seed: seed)
        let producer = ProducerAPI(
            gateway: stack.gatewayURL, token: try stack.producerToken(), account: "verification",
            author: try stack.authorKey(), recipients: ["ledger", "archive"], client: client)
        let phones = try VerifiedPhones(
            stack: stack, producer: producer, client: client, folder: folder, jobs: jobs, defect: defect)
        phones.start()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(SimulatedStage(producer: producer, phones: phones, jobs: jobs)))
        } catch {
            result = .failure(error)
        }
        await phones.stop()
        await client.close()
        return try result.get()
    }
}
