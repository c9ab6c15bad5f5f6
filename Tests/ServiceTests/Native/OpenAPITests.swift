import Events
import Foundation
import HTTPServer
import ServiceSupport
import Testing

@testable import Service

@Suite("OpenAPI: the description is generated from the routes and matches them")
struct OpenAPITests {
    private var document: JSONValue {
        get async throws { try await withDocument() }
    }

    private func withDocument() async throws -> JSONValue {
        var document = JSONValue.null
        try await withService { service in document = try await service.direct.send("GET", "/openapi.json").json }
        return document
    }

    @Test("Any caller may read the description, and it contains every route once")
    func routes() async throws {
        let document = try await document
        #expect(document.text("openapi") == "3.1.0")
        var names: Set<String> = []
        for route in RouteTable.routes {
            let operation = try #require(document["paths"]?[route.path.text]?[route.method.lowercased()], "\(route.path)")
            #expect(operation.text("operationId") == route.name, "two routes at \(route.method) \(route.path)")
            #expect(names.insert(route.name).inserted, "\(route.name) is the name of two routes")
            #expect((operation["requestBody"] != nil) == (route.bodyLimitBytes > 0), "\(route.name)")
            #expect(!route.description.answers.isEmpty, "\(route.name) does not say what it answers")
            #expect(operation["security"] != nil || route.need == .nothing, "\(route.name)")
        }
    }

    @Test("Every reference in the description resolves")
    func references() async throws {
        let document = try await document
        var found = 0
        func look(_ value: JSONValue) {
            switch value {
            case .object(let members):
                if case .string(let reference)? = members["$ref"] {
                    found += 1
                    let target = reference.split(separator: "/").dropFirst().reduce(document as JSONValue?) { $0?[String($1)] }
                    #expect(target != nil, "\(reference)")
                }
                for value in members.values { look(value) }
            case .array(let values): for value in values { look(value) }
            default: break
            }
        }
        look(document)
        #expect(found > 100)
    }

    @Test("Every object in requests and responses has a name in the description, and equal ones have the same")
    func names() async throws {
        let document = try await document
        func look(_ value: JSONValue, at place: String, isNamed: Bool) {
            if !isNamed { #expect(value["type"] != .string("object"), "\(place)") }
            switch value {
            case .object(let members): for (name, value) in members { look(value, at: "\(place).\(name)", isNamed: false) }
            case .array(let values): for value in values { look(value, at: place, isNamed: false) }
            default: break
            }
        }
        guard case .object(let schemas) = try #require(document["components"]?["schemas"]) else {
            Issue.record("the schemas are not an object")
            return
        }
        for (name, schema) in schemas { look(schema, at: name, isNamed: true) }
        look(try #require(document["paths"]), at: "paths", isNamed: false)
        func body(_ path: String) -> JSONValue? {
            document["paths"]?[path]?["post"]?["requestBody"]?["content"]?["application/json"]?["schema"]
        }
        #expect(body("/access/v1/evaluation") == .object(["$ref": .string("#/components/schemas/EvaluationRequest")]))
        #expect(body("/stores/{store}/access/v1/evaluation") == body("/access/v1/evaluation"))
    }

    @Test("Every problem kind has its page, and its heading in the guide")
    func problems() async throws {
        let guide = try String(contentsOfFile: "Docs/Guides/http-api.md", encoding: .utf8)
        try await withService { service in
            for kind in Problem.Kind.allCases {
                let page = try await service.direct.send("GET", "/problems/\(kind.name)")
                #expect(try page.json.number("status") == Int64(kind.status))
                #expect(guide.contains("\n#### Problem: \(kind.name)\n"), "\(kind.name)")
            }
            #expect(try await service.direct.send("GET", "/problems/none").status == 404)
            #expect(try await service.direct.send("GET", "/problems").json.list("problems").count == Problem.Kind.allCases.count)
        }
    }
}
