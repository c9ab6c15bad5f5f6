internal import Events
internal import HTTPServer
internal import Muniment

/// Routes that describe the API for programs and people.
enum DescriptionRoutes {
    static let all = [openAPI, problems, problem]

    static let openAPI = Route(
        "GET", "/openapi.json", "openAPI", need: .nothing,
        RouteDescription("this description of the API", group: "Description")
            .withResponse("OpenAPI 3.1", Schema.named("OpenAPIDocument"), headers: []),
        .immediate { call in call.answer(json: text) })

    /// Built once, because the routes do not change.
    private static let text: [UInt8] = {
        var writer = JSONWriter()
        writer.write(.object(OpenAPI(routes: RouteTable.routes).document))
        return Array(writer.text.utf8)
    }()

    static let problems = Route(
        "GET", "/problems", "listProblems", need: .nothing,
        RouteDescription("the kinds of problems in the `type` of responses", group: "Description")
            .withResponse(
                "the kinds of problems", Schema.object(["problems": Schema.list(Schema.named("ProblemKind"))]), headers: []),
        .immediate { call in call.answer(["problems": .array(Problem.Kind.allCases.map { .object($0.page) })]) })

    static let problem = Route(
        "GET", "/problems/{problem}", "describeProblem", need: .nothing,
        RouteDescription("a kind of problem: its meaning and its remedy", group: "Description")
            .withResponse("its page", Schema.named("ProblemKind"), headers: []),
        .immediate { call in
            let name = call.parameter("problem")
            guard let kind = Problem.Kind.allCases.first(where: { $0.name == name }) else {
                throw Problem(.notFound, "this kind of problem does not exist: `/problems` lists the kinds")
            }
            return call.answer(kind.page)
        })
}

extension Problem.Kind {
    fileprivate var page: JSONObject {
        [
            "type": .string("/problems/\(name)"), "title": .string(title), "status": .count(status), "remedy": .string(remedy),
            "documentation": .string("Docs/Guides/http-api.md#problem-\(name)"),
        ]
    }
}
