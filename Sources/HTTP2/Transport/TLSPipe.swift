import COpenSSL
import Glibc

/// TLS as a pipe of bytes: what the socket brought goes in at one end, plain text comes out at the other, and the
/// reverse. Two memory BIOs stand for the socket, so that no call here ever blocks. Used by one thread.
final class TLSPipe {
    private let ssl: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    enum Progress: Equatable {
        case going
        case done
        case failed(String)
    }

    /// For a server.
    init(context: TLSContext) {
        (ssl, incoming, outgoing) = Self.make(context)
        SSL_set_accept_state(ssl)
    }

    /// For a client: the certificate has to name `host`, a name or an address.
    init(context: TLSContext, host: String) {
        (ssl, incoming, outgoing) = Self.make(context)
        SSL_set_connect_state(ssl)
        let parameters = SSL_get0_param(ssl)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1 {
            ERR_clear_error()
            X509_VERIFY_PARAM_set1_host(parameters, host, 0)
            _ = copenssl_set_server_name(ssl, host)
        }
    }

    deinit { SSL_free(ssl) }  // frees both BIOs

    private static func make(_ context: TLSContext) -> (OpaquePointer, OpaquePointer, OpaquePointer) {
        guard let ssl = SSL_new(context.handle), let incoming = BIO_new(BIO_s_mem()),
            let outgoing = BIO_new(BIO_s_mem())
        else { preconditionFailure("OpenSSL has no memory for a connection") }
        SSL_set_bio(ssl, incoming, outgoing)
        return (ssl, incoming, outgoing)
    }

    var isReady: Bool { SSL_is_init_finished(ssl) == 1 }

    /// The protocol that both sides agreed on by ALPN.
    var agreedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// Takes the handshake as far as the bytes go.
    func handshake() -> Progress {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return .done }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .going
        default:
            let verification = SSL_get_verify_result(ssl)
            let reason = openSSLReason("handshake failed")
            guard verification != Int(X509_V_OK) else { return .failed("TLS: \(reason)") }
            return .failed("certificate: \(String(cString: X509_verify_cert_error_string(verification)))")
        }
    }

    func feed(_ bytes: UnsafeRawBufferPointer) { _ = BIO_write(incoming, bytes.baseAddress, Int32(bytes.count)) }

    /// Plain bytes into `buffer`: their number, 0 if there are none now, nil if the peer ended TLS or broke it.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        ERR_clear_error()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
        if count > 0 { return Int(count) }
        let error = SSL_get_error(ssl, count)
        return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0 : nil
    }

    /// False if TLS is broken. Memory BIOs take everything.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bytes.isEmpty else { return true }
        ERR_clear_error()
        return SSL_write(ssl, bytes.baseAddress, Int32(bytes.count)) == Int32(bytes.count)
    }

    /// Says goodbye; the alert still has to be drained.
    func close() { if isReady { SSL_shutdown(ssl) } }

    /// Bytes that wait for the socket.
    var backlog: Int { BIO_ctrl_pending(outgoing) }

    func drain(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        max(0, Int(BIO_read(outgoing, buffer.baseAddress, Int32(buffer.count))))
    }
}
