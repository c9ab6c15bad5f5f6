internal import Events
internal import HTTPServer
internal import Muniment

/// The API description in OpenAPI 3.1, generated from the routes that dispatch requests.
struct OpenAPI {
    let routes: [Route]

    var document: JSONObject {
        var schemas = NamedSchemas(Schemas.all)
        let paths = paths(&schemas)
        return [
            "openapi": .string("3.1.0"),
            "info": .object([
                "title": .string("Muniment"), "version": .string("1"),
                "description": .string("A permission service with a complete history. `Docs/Guides/http-api.md` is the guide."),
                "license": .object(["name": .string("Apache-2.0"), "identifier": .string("Apache-2.0")]),
            ]),
            "servers": .array([.object(["url": .string("/")])]), "tags": .array(groups.map { .object(["name": .string($0)]) }),
            "paths": .object(paths),
            "components": .object([
                "schemas": .object(schemas.all), "responses": .object(problems), "headers": .object(headers),
                "securitySchemes": .object(["bearer": .object(["type": .string("http"), "scheme": .string("bearer")])]),
            ]),
        ]
    }

    /// The groups of the routes, in the order of the table.
    private var groups: [String] {
        var groups: [String] = []
        for route in routes where !groups.contains(route.description.group) { groups.append(route.description.group) }
        return groups
    }

    private func paths(_ schemas: inout NamedSchemas) -> JSONObject {
        var paths: JSONObject = [:]
        for route in routes {
            let operation = JSONObject([(route.method.lowercased(), JSONValue.object(OpenAPI.operation(route, &schemas)))])
            paths[route.path.text] = (paths[route.path.text] ?? .object([:])).with(operation)
        }
        return paths
    }

    private static func operation(_ route: Route, _ schemas: inout NamedSchemas) -> JSONObject {
        let description = route.description
        var operation: JSONObject = [
            "operationId": .string(route.name), "summary": .string(description.summary), "tags": .texts([description.group]),
            "responses": .object(responses(route, &schemas)),
        ]
        if !description.text.isEmpty { operation["description"] = .string(description.text) }
        let parameters = route.path.parameters.map(pathParameter) + description.parameters.map(parameter)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = description.body {
            let schema = schemas.named(body, route.name.capitalizedFirst + "Request")
            let content = JSONObject(description.bodyTypes.map { ($0, JSONValue.object(["schema": schema])) })
            operation["requestBody"] = .object(["required": .bool(true), "content": .object(content)])
        }
        if route.need != .nothing { operation["security"] = .array([.object(["bearer": .array([])])]) }
        return operation
    }

    private static func pathParameter(_ name: String) -> JSONValue {
        .object([
            "name": .string(name), "in": .string("path"), "required": .bool(true),
            "schema": .object(["type": .string("string"), "minLength": .integer(1)]),
        ])
    }

    private static func parameter(_ parameter: ParameterDescription) -> JSONValue {
        .object([
            "name": .string(parameter.name), "in": .string(parameter.place.rawValue), "required": .bool(parameter.isRequired),
            "description": .string(parameter.text), "schema": parameter.schema,
        ])
    }

    /// Returns the responses of a route, including the problems that all routes of its kind can have.
    private static func responses(_ route: Route, _ schemas: inout NamedSchemas) -> JSONObject {
        var responses: JSONObject = [:]
        for answer in route.description.answers {
            let status = String(answer.status)
            var response: JSONObject = ["description": .string(answer.text)]
            var content: JSONObject = [:]
            if case .object(let earlier)? = responses[status] {
                response = earlier
                if case .object(let types)? = earlier["content"] { content = types }
            }
            if let schema = answer.schema {
                let isLine = RequestContext.lineTypes.contains(answer.mediaType)
                let named = schemas.named(schema, route.name.capitalizedFirst + (isLine ? "Line" : "Response"))
                content[answer.mediaType] = .object(["schema": named])
            }
            if content.count > 0 { response["content"] = .object(content) }
            if !answer.headers.isEmpty {
                response["headers"] = .object(
                    JSONObject(answer.headers.map { ($0, .object(["$ref": .string("#/components/headers/\($0)")])) }))
            }
            responses[status] = .object(response)
        }
        for problem in Set(problems(of: route).map(\.status)) {
            responses[String(problem)] = .object(["$ref": .string("#/components/responses/\(problem)")])
        }
        responses["414"] = .object(["$ref": .string("#/components/responses/414")])
        return responses
    }

    private static func problems(of route: Route) -> [Problem.Kind] {
        var kinds: [Problem.Kind] = [.malformed, .methodNotAllowed, .misdirected, .tooManyRequests, .headTooLarge, .unavailable]
        if route.need != .nothing { kinds += [.unauthenticated, .forbidden] }
        if route.need != .nothing || !route.path.parameters.isEmpty { kinds.append(.notFound) }
        if route.description.takes("atLeast") { kinds.append(.revisionNotReached) }
        if case .asynchronous = route.handler { kinds += [.refused, .conflict, .keyReused, .keyInUse, .tooMuchWork] }
        if route.description.body != nil { kinds += [.tooLarge, .unsupportedMediaType, .requestTimeout] }
        // The arguments of a query can be too large even without a body.
        return kinds + [.tooLarge] + route.description.problems
    }

    /// A response for each status of a problem, with the kinds that have it.
    private var problems: JSONObject {
        let byStatus = Dictionary(grouping: Problem.Kind.allCases, by: \.status)
        var problems = JSONObject(
            byStatus.map { status, kinds in
                let pages = kinds.map { "`/problems/\($0.name)`: \($0.title)" }
                let content: JSONObject = ["application/problem+json": .object(["schema": Schema.named("Problem")])]
                return (
                    String(status),
                    JSONValue.object(["description": .string(pages.joined(separator: "; ")), "content": .object(content)])
                )
            })
        // The HTTP library rejects an address or a head that is too large, with a page of its own.
        let headTooLarge = "The head of the request is too large: `/problems/head-too-large`, or a page without a media type"
        problems["431"] = problems["431"]?.with(["description": .string(headTooLarge)])
        problems["414"] = .object([
            "description": .string("The address of the request is too large; the page has no media type"),
            "content": .object(["text/html": .object(["schema": Schema.text])]),
        ])
        return problems
    }

    private var headers: JSONObject {
        [
            "Muniment-Revision": .object([
                "description": .string("the revision of the response"), "required": .bool(true),
                "schema": .object(["type": .string("integer"), "minimum": .integer(0)]),
            ]),
            "ETag": .object([
                "description": .string("the revision of the last change of the object, or of its access list, in quotes"),
                "schema": Schema.text,
            ]),
            "Location": .object([
                "description": .string("its location"), "required": .bool(true), "schema": Schema.text,
            ]),
        ]
    }
}
