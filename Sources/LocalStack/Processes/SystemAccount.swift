import Daemon
import Glibc

/// Under whose name a server runs: PostgreSQL refuses to be root, so root hands each server to the account that its
/// Debian package made.
enum SystemAccount: Equatable, Sendable {
    case current
    case other(String, user: uid_t, group: gid_t)

    /// The account for a server: ours, or `name` when we are root.
    static func forServer(_ name: String) throws(CommandFailure) -> SystemAccount {
        guard geteuid() == 0 else { return .current }
        guard let entry = getpwnam(name) else {
            throw CommandFailure(
                .systemFile, "there is no account '\(name)' on this machine: install the Debian package of that server")
        }
        return .other(name, user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
    }

    /// Gives the account a file or folder that we made for it.
    func own(_ path: String) throws(CommandFailure) {
        guard case .other(_, let user, let group) = self else { return }
        guard chown(path, user, group) == 0 else {
            throw CommandFailure(
                .cannotCreate, "cannot hand \(path) to its server: \(String(cString: strerror(errno)))")
        }
    }
}
