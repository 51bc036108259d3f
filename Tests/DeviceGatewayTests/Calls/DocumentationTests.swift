import Delivery
import TestSupport
import Testing

@testable import DeviceGateway

/// `docs/device-api.md` names everything that a client can meet.
@Suite struct DocumentationTests {
    @Test(arguments: ProblemKind.all)
    func `every problem type is in its status's row`(kind: ProblemKind) throws {
        let text = try Repository.text("docs/device-api.md")
        let row = text.split(separator: "\n").first { $0.hasPrefix("| \(kind.fixed.status) |") }
        #expect(row?.contains("`\(kind.name)`") == true)
    }

    /// The routes of the tables, with something in each placeholder, are the routes of the program.
    @Test func `every documented route exists and no other`() throws {
        let text = try Repository.text("docs/device-api.md")
        var names: Set<String> = []
        for line in text.split(separator: "\n") where line.hasPrefix("| `") && line.contains(" /v1/") {
            let route = line.dropFirst(3).prefix { $0 != "`" }.split(separator: " ")
            let path = route[1].prefix { $0 != "?" }.replacing("{jobId}", with: "\(Identifier.random())")
                .replacing("{device}", with: "\(Identifier.random())").replacing("{epoch}", with: "1")
                .replacing("{recipient}", with: "shop").replacing("{keyId}", with: "k1")
                .replacing("{account}", with: "a")
            names.insert(try Call(method: String(route[0]), path: path[...]).name)
        }
        #expect(names == Set(DeviceCall.names + ProducerCall.names))
    }

    @Test func `every setting of the gateway is documented`() throws {
        let text = try Repository.text("docs/device-api.md")
        let source = try Repository.text("Sources/DeviceGateway/Configuration+Environment.swift")
        let names = source.split { !($0.isUppercase || $0 == "_") }.filter { $0.hasPrefix("MOBILE_DELIVERY_") }
        #expect(names.count > 15)
        for name in names {
            let tail = name.replacing("MOBILE_DELIVERY_GATEWAY", with: "…")
                .replacing("MOBILE_DELIVERY_LEASE", with: "…")
            #expect(text.contains(name) || text.contains("`\(tail)`"), "\(name)")
        }
    }
}
