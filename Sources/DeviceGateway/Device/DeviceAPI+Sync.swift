import Delivery
import HTTPServer
import Messages
import Postgres
import Storage

extension DeviceAPI {
    /// The pending set, oldest first. Nothing depends on `after` but the page: who lost it starts anew.
    func sync(_ device: Identifier, _ request: Request) async throws(Problem) -> Response {
        let page = try Self.number(request, "limit", default: settings.pageSize, in: 1...settings.largestPage)
        var position: SyncPosition?
        if let text = request.parameter("after") {
            guard let given = SyncPosition(text) else { throw Problem(.cursorExpired) }
            position = given
        }
        let known = EntityTag.offered(request).first
        let (response, _) = try await self.page(page, of: device, after: position, known: known)
        return response
    }

    /// As `sync`, but answers only when the set is not the one that the phone knows, or when its time is over.
    func wait(_ device: Identifier, _ request: Request) async throws(Problem) -> Response {
        let page = try Self.number(request, "limit", default: settings.pageSize, in: 1...settings.largestPage)
        let seconds = try Self.number(
            request, "timeout", default: settings.waitSeconds, in: 0...settings.longestWaitSeconds)
        let deadline = ContinuousClock.now + .seconds(seconds)
        let known = EntityTag.offered(request).first
        while true {
            let (response, isUnchanged) = try await self.page(page, of: device, after: nil, known: known)
            guard isUnchanged, let known else { return response }
            guard try await room.changed(device, from: known, until: deadline) else {
                return Response(status: 204, headers: ["ETag": "\"\(known)\""])
            }
        }
    }

    private static func number(
        _ request: Request, _ name: String, default standard: Int, in range: ClosedRange<Int>
    ) throws(Problem) -> Int {
        guard let text = request.parameter(name) else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw Problem(.badRequest, "\(name) must be \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func page(
        _ page: Int, of device: Identifier, after position: SyncPosition?, known: String?
    ) async throws(Problem) -> (response: Response, isUnchanged: Bool) {
        let rows = try await store.query(
            """
            SELECT * FROM delivery.sync_page(\(device), \(known as String?), \(position?.committedAt as Timestamp?),
                \(position?.job as Identifier?),
                \(Int32(page + 1)))
            """)
        guard let first = rows.first else { throw Problem(.internalError) }
        let head = try Outcome(first)
        let tag = try head.get("tag", as: String?.self).map { "\"\($0)\"" }
        if head.word == "unchanged", let tag { return (EntityTag.notModified(tag), true) }
        guard head.word == "listed" else { throw try head.problem() }
        return (try listing(rows.dropFirst(), page: page, tag: tag), false)
    }

    private func listing(_ rows: Rows.SubSequence, page: Int, tag: String?) throws(Problem) -> Response {
        var entries: [DeviceAPIListing.Entry] = []
        var last: SyncPosition?
        for row in rows.prefix(page) {
            let outcome = try Outcome(row)
            let committed = try outcome.get("committed_at", as: Timestamp.self)
            let expires = try outcome.get("expires_at", as: Timestamp.self)
            let job = try outcome.get("job_id", as: Identifier.self)
            entries.append(
                DeviceAPIListing.Entry(
                    job: job, documentType: try outcome.word("document_type"), state: try outcome.word("state"),
                    fanoutNeeded: try outcome.get("fanout_needed"), committedAt: committed.milliseconds,
                    expiresAt: expires.milliseconds))
            last = SyncPosition(committedAt: committed, job: job)
        }
        let listing = DeviceAPIListing(jobs: entries, next: rows.count > page ? last?.text : nil)
        var response = Response.json(listing.encoded())
        response.headers.add("Cache-Control", "no-store")
        if let tag { response.headers.add("ETag", tag) }
        return response
    }
}
