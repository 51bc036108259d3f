import Daemon
import Synchronization
import TokenSigning

/// The one provider token of a (team, key, environment) in this process: made once for all callers.
final class ProviderTokens: Sendable {
    private struct State {
        var key: PrivateKey
        var pem: String
        var token: String?
        var schedule = ProviderTokenSchedule()
        /// What is wrong with the file now, if something is.
        var complaint: String?
    }

    let teamID: String
    let keyID: String
    private let keyFile: String
    private let state: Mutex<State>

    /// Throws one line that names the file.
    init(teamID: String, keyID: String, keyFile: String) throws(CommandFailure) {
        self.teamID = teamID
        self.keyID = keyID
        self.keyFile = keyFile
        let (key, pem) = try Self.read(keyFile)
        state = Mutex(State(key: key, pem: pem))
    }

    /// The token to send now.
    func token() -> String? { token(isRefused: false) }

    /// The provider called the token expired: a new one if the floor allows it.
    func renew() { _ = token(isRefused: true) }

    func hold() { state.withLock { $0.schedule.held(now: .now) } }

    /// Takes another key from the file, if there is one; the next token is made with it. Returns whether there was one. A
    /// file that cannot be read leaves the key in use as it is, and says so once.
    @discardableResult func reload() -> Bool {
        do throws(CommandFailure) {
            let (key, pem) = try Self.read(keyFile)
            return state.withLock { state in
                state.complaint = nil
                guard state.pem != pem else { return false }
                state = State(key: key, pem: pem)
                Log.info("another APNs key was read", [.file: .string(keyFile)])
                return true
            }
        } catch {
            let isNew = state.withLock { state in
                defer { state.complaint = error.line }
                return state.complaint != error.line
            }
            if isNew { Log.warning("APNs key not read again", [.file: .string(keyFile), .cause: .string(error.line)]) }
            return false
        }
    }

    var age: Duration? { state.withLock { $0.schedule.age(now: .now) } }

    private func token(isRefused: Bool) -> String? {
        state.withLock { state in
            if state.schedule.mustMint(isRefused: isRefused, now: .now) {
                let claims = ProviderTokenClaims(teamID: teamID, issuedAt: Int(Instant.now() / 1000))
                do throws(TokenSigningError) {
                    state.token = try JSONWebToken.signed(claims, keyID: keyID, with: state.key)
                    state.schedule.minted(now: .now, jitter: .random(in: 0...1))
                } catch {
                    Log.error("no provider token was made", [.file: .string(keyFile), .cause: .of(error)])
                }
            }
            return state.token
        }
    }

    private static func read(_ file: String) throws(CommandFailure) -> (PrivateKey, String) {
        let pem = try SettingsFile.text(file)
        let key: PrivateKey
        do throws(TokenSigningError) {
            key = try PrivateKey(pem: pem)
        } catch {
            throw CommandFailure(.configuration, "\(file): \(error): take the .p8 file that Apple gave")
        }
        guard key.algorithm == .es256 else {
            throw CommandFailure(.configuration, "\(file): not a P-256 key: take the .p8 file that Apple gave")
        }
        return (key, pem)
    }
}

extension LogKey {
    static let file: LogKey = "file"
}
