import CCurl

/// One easy handle and what arrived on it so far. Touched by the client's thread alone.
final class Transfer {
    let id: Int
    let easy: UnsafeMutableRawPointer
    private let summary: String
    private let maximumBodySize: Int
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    private var headers: [Header] = []
    private var body: [UInt8] = []
    private var overflowed = false

    init(id: Int, _ request: Request, _ configuration: Configuration) throws(HTTPClientError) {
        guard let easy = curl_easy_init() else {
            throw HTTPClientError(.invalidRequest, request: request.summary, detail: "libcurl gave no handle")
        }
        self.id = id
        self.easy = easy
        summary = request.summary
        maximumBodySize = configuration.maximumBodySize
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        for header in request.headers where !Self.isClean(header) {
            throw HTTPClientError(
                .invalidRequest, request: request.summary, detail: "header \(header.name) holds a line break")
        }
        guard Self.isClean(request.method), !request.url.utf8.contains(0) else {
            throw HTTPClientError(.invalidRequest, request: request.summary, detail: "method or address is malformed")
        }
        apply(request)
        apply(configuration, timeout: request.timeout)
        receive()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        errorText.deallocate()
    }

    // MARK: Options

    private func apply(_ request: Request) {
        ccurl_set_string(easy, CURLOPT_URL, request.url)
        ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        let hasBody = !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method)
        if hasBody {
            // The size comes first: COPYPOSTFIELDS copies that many bytes.
            ccurl_set_large(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
            request.body.withUnsafeBytes { bytes in
                _ = ccurl_set_pointer(
                    easy, CURLOPT_COPYPOSTFIELDS,
                    UnsafeMutableRawPointer(mutating: bytes.baseAddress ?? UnsafeRawPointer(errorText)))
            }
        } else if request.method == "HEAD" {
            ccurl_set_long(easy, CURLOPT_NOBODY, 1)
        } else {
            ccurl_set_long(easy, CURLOPT_HTTPGET, 1)
        }
        ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method)
        for header in request.headers {
            // "Name;" is libcurl's form of a field without a value.
            append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        // A bare "Name:" takes back what libcurl would add by itself.
        append("Expect:")
        if hasBody, request.headers.value(of: "content-type") == nil { append("Content-Type:") }
        ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, fields)
    }

    private func apply(_ configuration: Configuration, timeout: Duration) {
        let version = configuration.version == .http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS
        ccurl_set_long(easy, CURLOPT_HTTP_VERSION, Int(version))
        ccurl_set_long(easy, CURLOPT_PIPEWAIT, 1)
        ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        ccurl_set_string(easy, CURLOPT_PROXY, configuration.proxy ?? "")
        ccurl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let caFile = configuration.caFile { ccurl_set_string(easy, CURLOPT_CAINFO, caFile) }
        ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
        ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, timeout.milliseconds)
        ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    }

    private func receive() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(easy, CURLOPT_PRIVATE, context)
        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        ccurl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, takeBody)
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        ccurl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, takeHeader)
    }

    private func append(_ line: String) { fields = curl_slist_append(fields, line) }

    private static func isClean(_ header: Header) -> Bool { isClean(header.name) && isClean(header.value) }

    private static func isClean(_ text: String) -> Bool {
        !text.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    }

    // MARK: Arrival

    /// Returns whether the bytes were taken; refusing them ends the transfer.
    fileprivate func took(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= maximumBodySize else {
            overflowed = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    fileprivate func took(header bytes: UnsafeRawBufferPointer) {
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // A final answer replaces an interim one.
            headers.removeAll()
        } else if let colon = line.firstIndex(of: ":") {
            headers.append(Header(String(line[..<colon]), line[line.index(after: colon)...].trimmed))
        }
    }

    func result(_ code: CURLcode) -> Result<Response, HTTPClientError> {
        guard code == CURLE_OK else { return .failure(error(code)) }
        var status = 0
        var version = 0
        ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        ccurl_get_long(easy, CURLINFO_HTTP_VERSION, &version)
        return .success(
            Response(
                status: status, headers: headers, body: body,
                version: version == Int(CURL_HTTP_VERSION_2_0) ? "2" : "1.1"))
    }

    func error(_ kind: HTTPClientError.Kind, _ detail: String) -> HTTPClientError {
        HTTPClientError(kind, request: summary, detail: detail)
    }

    private func error(_ code: CURLcode) -> HTTPClientError {
        if overflowed { return error(.bodyTooLarge, "answer of more than \(maximumBodySize) bytes") }
        let text = String(cString: errorText)
        return error(.init(code), text.isEmpty ? String(cString: curl_easy_strerror(code)) : text)
    }
}

extension HTTPClientError.Kind {
    fileprivate init(_ code: CURLcode) {
        self =
            switch code {
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .invalidRequest
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unresolvable
            case CURLE_COULDNT_CONNECT: .unreachable
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_CERTPROBLEM:
                .untrusted
            default: .broken
            }
    }
}

extension Duration {
    /// Rounded up, at least 1: libcurl takes 0 for "no limit".
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        return max(
            1, Int(min(seconds, 1_000_000)) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}

/// `@convention(c)`: called by libcurl on the client's thread, inside `Multi`.
private func takeBody(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
    return transfer.took(body: UnsafeRawBufferPointer(start: data, count: size * count)) ? size * count : 0
}

private func takeHeader(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let transfer = Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
    transfer.took(header: UnsafeRawBufferPointer(start: data, count: size * count))
    return size * count
}
