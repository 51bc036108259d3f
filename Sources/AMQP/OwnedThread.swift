import Reactor

/// Ends a reactor's thread with the last of the actors that live on it; a pending job of an actor keeps the actor, so no
/// job can be left behind.
final class OwnedThread: Sendable {
    let reactor: ReactorThread

    init(name: String) { reactor = ReactorThread(name: name) }

    deinit { reactor.stop() }
}
