import Delivery
import Messages
import TestSupport
import Testing

@testable import DeviceGateway

/// `docs/device-api.openapi.json` and `docs/producer-api.openapi.json` describe the program: all of it, nothing else.
@Suite struct OpenAPITests {
    private struct Document {
        let root: JSONValue

        init(_ name: String) throws {
            root = try JSONValue(parsing: Array(Repository.text("docs/\(name)-api.openapi.json").utf8))
        }

        /// Method, path and operation of each.
        var operations: [(method: String, path: String, operation: JSONValue)] {
            (root["paths"]?.object ?? [:]).flatMap { path, item in
                (item.object ?? [:]).map { (method: $0.key.uppercased(), path: path, operation: $0.value) }
            }
        }

        /// Every problem type that is named anywhere under a value.
        static func problems(_ value: JSONValue) -> Set<String> {
            if let text = value.string, text.hasPrefix(DeviceAPIProblem.typePrefix) {
                return [String(text.dropFirst(DeviceAPIProblem.typePrefix.count))]
            }
            return (value.array ?? value.object.map { Array($0.values) } ?? []).reduce(into: []) {
                $0.formUnion(problems($1))
            }
        }

        /// Every reference, resolved or not.
        static func references(_ value: JSONValue) -> Set<String> {
            var found: Set<String> = value["$ref"]?.string.map { [$0] } ?? []
            for inner in value.array ?? value.object.map({ Array($0.values) }) ?? [] {
                found.formUnion(references(inner))
            }
            return found
        }
    }

    /// With something in each placeholder.
    private static func filled(_ path: String) -> Substring {
        let id = Identifier.random().description
        return path.replacing("{jobId}", with: id).replacing("{device}", with: id).replacing("{epoch}", with: "1")
            .replacing("{recipient}", with: "shop").replacing("{keyId}", with: "k1").replacing("{account}", with: "a")[
                ...]
    }

    @Test(arguments: ["device", "producer"])
    func `an operation is a route, by its name, and every route is an operation`(name: String) throws {
        var named: Set<String> = []
        for (method, path, operation) in try Document(name).operations {
            let call = try Call(method: method, path: Self.filled(path))
            #expect(operation["operationId"]?.string == call.name, "\(method) \(path)")
            named.insert(call.name)
        }
        #expect(named == (name == "device" ? Set(DeviceCall.names) : Set(ProducerCall.names)))
    }

    @Test(arguments: ["device", "producer"])
    func `a path allows no method that the document does not have`(name: String) throws {
        let methods = ["GET", "PUT", "POST", "DELETE", "PATCH", "HEAD", "OPTIONS"]
        let operations = try Document(name).operations
        for path in Set(operations.map(\.path)) {
            let routed = methods.filter { (try? Call(method: $0, path: Self.filled(path))) != nil }
            #expect(Set(routed) == Set(operations.filter { $0.path == path }.map(\.method)), "\(path)")
        }
    }

    @Test func `every problem type is an answer of an operation, and no other type is`() throws {
        var answered: Set<String> = []
        for name in ["device", "producer"] {
            let document = try Document(name)
            let listed = Document.problems(try #require(document.root["components"]?["schemas"]?["ProblemType"]))
            var own = Document.problems(try #require(document.root["components"]?["responses"]))
            for operation in document.operations {
                own.formUnion(Document.problems(try #require(operation.operation["responses"])))
            }
            #expect(own == listed, "\(name)")
            answered.formUnion(own)
        }
        #expect(answered == Set(ProblemKind.all.map(\.name)))
    }

    @Test(arguments: ["device", "producer"])
    func `a problem type stands under its status`(name: String) throws {
        let statuses = Dictionary(uniqueKeysWithValues: ProblemKind.all.map { ($0.name, "\($0.fixed.status)") })
        for (method, path, operation) in try Document(name).operations {
            for (status, answer) in operation["responses"]?.object ?? [:] {
                for problem in Document.problems(answer) {
                    #expect(statuses[problem] == status, "\(problem) of \(method) \(path)")
                }
            }
        }
    }

    @Test(arguments: ["device", "producer"])
    func `every reference leads somewhere`(name: String) throws {
        let document = try Document(name)
        for reference in Document.references(document.root) {
            let target = reference.split(separator: "/").dropFirst().reduce(Optional(document.root)) {
                $0?[String($1)]
            }
            #expect(target != nil, "\(reference)")
        }
    }
}
