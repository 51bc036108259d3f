import CPostgres
import Glibc

/// Asks the server to stop what a connection is doing. It opens a connection of its own and blocks, so it runs on a
/// thread of its own; libpq allows that for exactly this call.
enum Cancellation {
    static func request(for handle: ConnectionHandle) {
        guard let cancel = PQgetCancel(handle.pointer) else { return }
        var thread = pthread_t()
        if pthread_create(&thread, nil, runCancellation, UnsafeMutableRawPointer(cancel)) == 0 {
            pthread_detach(thread)
        } else {
            PQfreeCancel(cancel)
        }
    }
}

private func runCancellation(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let cancel = OpaquePointer(context!)
    var reason = [CChar](repeating: 0, count: 256)
    // The answer does not matter: the connection is given up either way.
    _ = PQcancel(cancel, &reason, Int32(reason.count))
    PQfreeCancel(cancel)
    return nil
}
