import HTTPServer
import Messages
import Testing

@testable import DeviceGateway

@Suite struct ProblemTests {
    @Test(arguments: ProblemKind.all)
    func `every kind has a document that says what its status line says`(kind: ProblemKind) throws {
        var problem = Problem(.gone)
        problem.kind = kind
        let response = problem.response
        let document = try JSONReader(response.body)
        #expect(try document.string("type") == "urn:mobile-delivery:problem:\(kind.name)")
        #expect(try document.int("status") == Int(response.status))
        #expect(response.headers["content-type"] == "application/problem+json")
        #expect((400...599).contains(response.status))
    }

    @Test func `names are unique`() {
        #expect(Set(ProblemKind.all.map(\.name)).count == ProblemKind.all.count)
    }

    @Test func `a phone reads what it needs`() throws {
        let problem = Problem(.fanoutFenced, "later").with("currentEpoch", 7)
        let read = try DeviceAPIProblem(decoding: problem.response.body)
        #expect(read.kind == .fanoutFenced && read.status == 409 && read.currentEpoch == 7 && read.detail == "later")
    }
}
