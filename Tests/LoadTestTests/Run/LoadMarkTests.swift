import Daemon
import TestSupport
import Testing

@testable import LoadTest

@Suite struct LoadMarkTests {
    @Test func `a database without the mark is refused in one line, and taken once it has it`() async throws {
        try await withScratchDatabase(migrated: false) { database in
            let url = database.url
            let refusal = await #expect(throws: CommandFailure.self) { try await LoadMark.check(url) }
            #expect(refusal?.status == .noPermission)
            #expect(refusal?.line.contains("carries no load-test mark") == true)
            try await LoadMark.set(on: url)
            try await LoadMark.set(on: url)
            try await LoadMark.check(url)
        }
    }
}
