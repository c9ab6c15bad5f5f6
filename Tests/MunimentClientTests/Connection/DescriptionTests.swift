import Events
import ServiceSupport
import Testing

@testable import MunimentClient

@Suite("The client and the description of the service", .timeLimit(.minutes(60)))
struct DescriptionTests {
    /// The operations of the service with the call for each.
    static let calls: [String: String] = [
        "check": "check", "evaluationsOfStore": "check([])", "privileges": "privileges", "explain": "explain",
        "explainSeveral": "explain([])", "who": "subjects", "what": "objects", "query": "query", "entries": "entries",
        "members": "members", "administrators": "administrators",
        "names": "names", "describeName": "report", "ends": "upcomingEnds", "describeCaller": "callerRights",
        "statistics": "statistics", "verify": "verify", "listStores": "stores", "createStore": "createStore", "lock": "lock",
        "commit": "commit", "whatIf": "whatIf", "readObject": "object", "writeObject": "write", "patchObject": "patch",
        "deleteObject": "delete", "history": "history", "diff": "differences", "notices": "notices, noticeFeed", "audit": "audit",
        "auditAccess": "accessSpans", "auditChanges": "accessChanges", "auditSubject": "accessReport", "activity": "activity",
        "decisions": "decisions", "export": "export", "commits": "commitFeed", "objectChanges": "changeFeed",
        "queryChanges": "queryChangeFeed",
    ]

    /// The operations that an application does not need, each with the reason.
    static let omitted: [(reason: String, operations: Set<String>)] = [
        (
            "for operators and other programs",
            ["health", "readiness", "metrics", "openAPI", "listProblems", "describeProblem", "listTokens", "describeToken"]
        ),
        ("for the console", ["rankRoles", "levels", "createBrowserSession", "listBrowserSessions", "endBrowserSession"]),
        ("for `EventSource` in browsers", ["createTicket"]),
        ("`Replica` opens it", ["replica"]),
        (
            "AuthZEN, which has the same questions",
            [
                "evaluation", "evaluations", "evaluationOfStore", "searchActions", "searchActionsOfStore", "searchResources",
                "searchResourcesOfStore", "searchSubjects", "searchSubjectsOfStore", "authzenConfiguration",
                "authzenConfigurationOfStore",
            ]
        ),
    ]

    @Test("Every operation of the service has a call, or a reason to have none")
    func operations() async throws {
        try await withService { service in
            let document = try await service.direct.send("GET", "/openapi.json").json
            guard case .object(let paths)? = document["paths"] else { throw Unexpected() }
            var operations: Set<String> = []
            // `AuthManager` has the calls for the account of the user. Those for all accounts are for operators.
            for case (let path, .object(let methods)) in paths where !path.hasPrefix("/v1/account") {
                for method in methods.values { if case .string(let id)? = method["operationId"] { operations.insert(id) } }
            }
            let known = Set(DescriptionTests.calls.keys).union(DescriptionTests.omitted.flatMap(\.operations))
            #expect(operations.subtracting(known).sorted() == [])
            #expect(known.subtracting(operations).sorted() == [])
        }
    }

    @Test("The kinds of problems and their remedies are those of the service")
    func remedies() async throws {
        try await withService { service in
            let document = try await service.direct.send("GET", "/problems").json
            guard case .array(let kinds)? = document["problems"] else { throw Unexpected() }
            var remedies: [ProblemKind: String] = [:]
            for case .object(let kind) in kinds {
                let name = try #require(kind.text("type")?.split(separator: "/").last)
                remedies[ProblemKind(rawValue: String(name))] = kind.text("remedy")
            }
            #expect(remedies == ProblemKind.remedies)
        }
    }

    private struct Unexpected: Error {}
}
