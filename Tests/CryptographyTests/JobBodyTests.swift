import Cryptography
import Testing

@Suite struct JobBodyTests {
    @Test(arguments: [
        (0, 1024), (1020, 1024), (1021, 2048), (2044, 2048), (5000, 8192), (JobBody.longestDocument, 131_072),
    ])
    func `a document is padded to its bucket and back`(count: Int, bucket: Int) throws {
        let document = [UInt8](repeating: 9, count: count)
        let padded = try #require(JobBody.pad(document))
        #expect(padded.count == bucket)
        #expect(JobBody.unpad(padded) == document)
    }

    @Test func `a document that no body can hold is refused`() {
        #expect(JobBody.pad([UInt8](repeating: 0, count: JobBody.longestDocument + 1)) == nil)
    }

    @Test func `padding that is not zero, a wrong bucket and a wrong length are refused`() throws {
        var padded = try #require(JobBody.pad([1, 2, 3]))
        #expect(JobBody.unpad(padded + [UInt8](repeating: 0, count: 1024)) == nil)
        padded[1023] = 1
        #expect(JobBody.unpad(padded) == nil)
        #expect(JobBody.unpad([255, 255, 255, 255] + [UInt8](repeating: 0, count: 1020)) == nil)
        #expect(JobBody.unpad([]) == nil)
    }
}
