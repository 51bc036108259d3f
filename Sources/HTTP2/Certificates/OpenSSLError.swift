import COpenSSL

/// Takes everything off this thread's OpenSSL error queue and returns the reason of the first, or `fallback`.
func openSSLReason(_ fallback: String) -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0, let reason = ERR_reason_error_string(code) else { return fallback }
    return String(cString: reason)
}
