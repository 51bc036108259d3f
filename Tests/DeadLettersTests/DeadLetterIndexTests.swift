import Delivery
import Operations
import Postgres
import TestSupport
import Testing

@testable import DeadLetters

/// `dead list` and `dead show`.
@Suite(.timeLimit(.minutes(2))) struct DeadLetterIndexTests {
    @Test func `ordinary uninstalls are counted apart and listed only when asked for`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1, "exhausted")
            try await fixture.fail(2, "token")
            let summary = try await fixture.index.summary()
            #expect(summary.reasons == [.init(name: "exhausted", letters: 2)])
            #expect(summary.uninstalled == 4)
            #expect(summary.hours.map(\.letters) == [2])
            var filter = DeadLetterFilter()
            filter.isUninstall = false
            #expect(try await fixture.index.page(filter, atMost: 10).map(\.reason) == ["exhausted", "exhausted"])
            filter.isUninstall = true
            #expect(try await fixture.index.page(filter, atMost: 10).count == 4)
            let text = DeadLetterList(summary, filter, []).text(style: .plain)
            #expect(text.contains("left out: 4 ordinary uninstalls"))
        }
    }

    @Test func `each filter narrows the list, and together they all hold`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(2, "exhausted")
            try await fixture.fail(1, "faulty_request")
            let all = try await fixture.index.page(DeadLetterFilter(), atMost: 100)
            #expect(all.count == 6 && all.map(\.id) == all.map(\.id).sorted(by: >))
            let one = try #require(all.last)
            func found(_ change: (inout DeadLetterFilter) -> Void) async throws -> Int {
                var filter = DeadLetterFilter()
                change(&filter)
                return try await fixture.index.page(filter, atMost: 100).count
            }
            #expect(try await found { $0.id = one.id } == 1)
            #expect(try await found { $0.reason = "faulty" } == 2)
            #expect(try await found { $0.reason = "faulty%" } == 0)
            #expect(try await found { $0.environment = "production" } == 3)
            #expect(try await found { $0.app = "other" } == 0)
            #expect(try await found { $0.device = fixture.account.devices[0] } == 3)
            #expect(try await found { $0.job = one.job } == 2)
            #expect(try await found { $0.queue = "hints.fcm.dead" } == 3)
            #expect(try await found { $0.failures = 21 } == 0)
            #expect(try await found { $0.since = one.recordedAt } == 6)
            #expect(try await found { $0.until = one.recordedAt } == 0)
            #expect(
                try await found {
                    $0.reason = "exhausted"
                    $0.environment = "production"
                } == 2)
        }
    }

    @Test func `pages go on below the last letter`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(2)
            let first = try await fixture.index.page(DeadLetterFilter(), atMost: 3)
            let second = try await fixture.index.page(
                DeadLetterFilter(), before: try #require(first.last).id, atMost: 3)
            #expect(first.count == 3 && second.count == 1)
            #expect(Set((first + second).map(\.id)).count == 4)
        }
    }

    @Test func `a letter is explained in words`() async throws {
        try await DeadLetterFixture.with { fixture in
            try await fixture.fail(1)
            let letter = try #require(try await fixture.index.page(DeadLetterFilter(), atMost: 10).last)
            let text = DeadLetterExplanation(letter, LetterCircumstances(), now: letter.recordedAt).text(style: .plain)
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("the provider failed it until its budget of failures was spent (exhausted)"))
            #expect(words.contains("status 503"))
            #expect(words.contains("a replay now: its hint goes out again"))
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
            #expect(try await fixture.index.letter(999_999) == nil)
        }
    }
}
