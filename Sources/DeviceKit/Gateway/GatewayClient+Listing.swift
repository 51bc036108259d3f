import Delivery
import Messages

extension GatewayClient {
    /// Pages of this size; the server may give fewer.
    static let pageLimit = 100

    /// The whole pending set; `nil` if the server says that it is the one of that ETag. A cursor that expired in between
    /// starts the listing once more.
    func listing(unless etag: String?) async throws(CallFailure) -> Listing? {
        do {
            return try await pages(unless: etag)
        } catch .refused(410, .cursorExpired, _) {
            return try await pages(unless: nil)
        }
    }

    private func pages(unless etag: String?) async throws(CallFailure) -> Listing? {
        let known = etag.map { [TransportRequest.Field("If-None-Match", $0)] } ?? []
        var answer = try await call("GET", "/v1/sync", query: "limit=\(GatewayClient.pageLimit)", fields: known)
        if answer.status == 304 { return nil }
        let first = answer.fields["etag"]
        var listing = Listing(etag: first, entries: [])
        while true {
            let page: DeviceAPIListing
            do { page = try DeviceAPIListing(decoding: answer.body) } catch { throw .malformed("\(error)") }
            listing.entries += page.jobs
            if answer.fields["etag"] != first { listing.etag = nil }
            guard let next = page.next, !page.jobs.isEmpty else { return listing }
            let query = "limit=\(GatewayClient.pageLimit)&after=\(PercentEncoding.encode(next))"
            answer = try await call("GET", "/v1/sync", query: query)
        }
    }
}

/// Everything but the unreserved characters of RFC 3986 as %XX.
enum PercentEncoding {
    static func encode(_ text: String) -> String {
        var units: [UInt8] = []
        for unit in text.utf8 {
            switch unit {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                units.append(unit)
            default:
                units.append(UInt8(ascii: "%"))
                units += Hex.encode([unit]).uppercased().utf8
            }
        }
        return String(decoding: units, as: UTF8.self)
    }
}
