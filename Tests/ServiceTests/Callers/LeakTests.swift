import Credentials
import Events
import Foundation
import HTTPServer
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Data leaks: every route, for a caller that may see nothing")
struct LeakTests {
    /// A request to a route: the suffix of its path, and its body.
    private struct Request {
        let query: String
        let body: String?
        /// Whether the request writes. Such a request is not repeated as an administrator.
        let isWrite: Bool

        init(_ query: String = "", _ body: String? = nil, isWrite: Bool = false) {
            self.query = query
            self.body = body
            self.isWrite = isWrite
        }
    }

    /// Texts that no response to a caller without access may contain. No request contains them.
    private static let hidden = ["treasure", "zara", "hideout", "conspir"]

    private static let world = #"""
        {"as":"user:root","do":[
        {"op":"defineClass","class":"doc","properties":["title"]},
        {"op":"register","principal":"user:zara"},{"op":"register","principal":"user:bob"},
        {"op":"createRole","role":"conspirators"},{"op":"createRole","role":"open"},
        {"op":"addMember","role":"conspirators","member":"user:zara"},{"op":"addMember","role":"open","member":"role:conspirators"},
        {"op":"createObject","object":"doc:hideout"},
        {"op":"createObject","object":"doc:secret","parent":"doc:hideout","value":{"title":"treasure"}},
        {"op":"grant","subject":"role:conspirators","object":"doc:secret","privileges":["read","update"]},
        {"op":"grant","subject":"user:zara","object":"doc:secret","privileges":["read","setPermissions"]},
        {"op":"grant","subject":"everyone","object":"store","privileges":["read","query","update","delete","setPermissions"]},
        {"op":"grant","subject":"everyone","object":"class:doc","privileges":["read","query","update","delete","setPermissions"]},
        {"op":"grant","subject":"anonymous","object":"store","privileges":["read","query"]},
        {"op":"grant","subject":"anonymous","object":"class:doc","privileges":["read","query"]}]}
        """#

    private static let subject = #""subject":{"type":"user","id":"bob"}"#
    private static let resource = #""resource":{"type":"doc","id":"secret"}"#
    private static let action = #""action":{"name":"read"}"#
    private static let why = #""context":{"reason":true}"#

    /// The requests to each route. A route that is missing here fails the test, except account routes, which have a separate table.
    private static let requests: [String: [Request]] = [
        "check": [.init("", #"{"subject":"user:bob","object":"doc:secret","privilege":"read"}"#)],
        "privileges": [.init("", #"{"subject":"user:bob","object":"doc:secret"}"#)],
        "explain": [
            .init("", #"{"subject":"user:bob","object":"doc:secret","privilege":"read"}"#),
            .init("", #"{"subject":"user:bob","object":"doc:secret","privileges":["update","delete"],"proposals":true}"#),
        ],
        "explainSeveral": [
            .init("", #"{"questions":[{"subject":"user:bob","object":"doc:secret","privilege":"read"}]}"#),
            .init("", #"{"questions":[{"subject":"user:bob","object":"doc:secret","privileges":["update","delete"]}]}"#),
        ],
        "who": [.init("", #"{"object":"doc:secret","privilege":"read"}"#)],
        "what": [
            .init("", #"{"subject":"user:bob","privilege":"read"}"#),
            .init("", #"{"subject":"role:open","privilege":"read","class":"doc"}"#),
        ],
        "members": [.init()],
        "rankRoles": [.init("?privileges=read")],
        "levels": [.init()],
        "administrators": [.init()],
        "diff": [.init("?name=doc:secret&from=0"), .init("?name=user:bob&from=0"), .init("?name=role:open&from=0")],
        "query": [.init("", #"{"class":"doc"}"#), .init("", #"{"class":"doc","as":"user:root"}"#)],
        "queryChanges": [.init("?class=doc"), .init("?class=doc&as=user:root")],
        "entries": [.init()],
        "readObject": [.init(), .init("?as=user:root")],
        "objectChanges": [.init(), .init("?as=user:root")],
        "writeObject": [.init("", #"{"title":"mine"}"#, isWrite: true)],
        "patchObject": [.init("", #"{"title":"mine"}"#, isWrite: true)],
        "deleteObject": [.init("", nil, isWrite: true)],
        "notices": [.init("?subject=user:bob"), .init("?subject=everyone"), .init("?subject=role:open"), .init()],
        // The feeds have their own tests (ReplicaStreamTests, ChangeStreamTests, QueryStreamTests).
        "replica": [.init("?class=doc"), .init("?class=doc&as=user:root")],
        "export": [.init()],
        "audit": [
            .init(), .init("?actor=user:bob"), .init("?subject=user:bob"), .init("?text=secret"), .init("?count=true"),
        ],
        "history": [.init("?name=doc:secret"), .init("?name=user:bob"), .init("?name=role:open"), .init("?name=store")],
        "auditAccess": [.init("?object=doc:secret&privileges=read")],
        "auditChanges": [.init("?subject=user:bob&object=doc:secret&privileges=read")],
        "auditSubject": [.init("?subject=user:bob"), .init("?subject=role:open"), .init("?subject=everyone")],
        "commit": [
            .init("", #"{"do":[{"op":"writeObject","object":"doc:secret","merge":{"a":1}}]}"#, isWrite: true),
            .init("", #"{"do":[{"op":"grant","subject":"user:bob","object":"doc:secret","privileges":["read"]}]}"#, isWrite: true),
            .init("", #"{"do":[{"op":"addMember","role":"open","member":"user:bob"}]}"#, isWrite: true),
        ],
        "lock": [.init("", "{}", isWrite: true)],
        "whatIf": [
            .init(
                "", #"{"transactions":[{"as":"user:root","do":[{"op":"addMember","role":"open","member":"user:bob"}]}]}"#)
        ],
        "listStores": [.init()],
        "statistics": [.init()],
        "verify": [.init()],
        "names": [.init(), .init("?class=role"), .init("?parent=doc:hideout"), .init("?contains=ECRE")],
        "describeName": [.init()],
        "ends": [.init()],
        "activity": [.init("?from=0")],
        "createTicket": [.init()],
        "createBrowserSession": [.init()],
        "listBrowserSessions": [.init()],
        "endBrowserSession": [.init("", nil, isWrite: true)],
        "describeCaller": [.init()],
        "evaluation": [.init("", "{\(subject),\(resource),\(action),\(why)}")],
        "evaluations": [
            .init(
                "",
                "{\(subject),\(action),\(why),\"evaluations\":[{\(resource)},{\"resource\":{\"type\":\"role\",\"id\":\"open\"}}]}")
        ],
        "searchSubjects": [.init("", "{\"subject\":{\"type\":\"user\"},\(resource),\(action)}")],
        "searchResources": [.init("", "{\(subject),\"resource\":{\"type\":\"doc\"},\(action)}")],
        "searchActions": [.init("", "{\(subject),\(resource)}")],
    ]

    private func target(_ route: Route) -> String {
        route.path.segments.map { segment in
            switch segment {
            case .word(let word): "/" + word
            case .parameter("store"): "/default"
            case .parameter("role"): "/open"
            case .parameter: "/doc:secret"
            }
        }.joined()
    }

    private func ask(_ fixture: ServiceFixture, _ route: Route, _ request: Request, _ token: String?) async throws
        -> ServiceSupport.Answer
    {
        let headers = request.isWrite ? [HTTPHeader("If-Match", "*")] : []
        return try await fixture.direct.send(
            route.method, target(route) + request.query, token: token, json: request.body, headers: headers)
    }

    @Test("Responses contain no names, values, members or entries that the caller may not see")
    func nothingLeaks() async throws {
        try await withService { settings in
            settings.callers.anonymousStores = .named(["default"])
        } _: { fixture in
            let root = try fixture.administrator()
            let made = try await fixture.direct.send("POST", "/v1/stores/default/transactions", token: root, json: LeakTests.world)
            try #require(made.status == 200, "\(made.text)")
            let callers = [try fixture.token(.act(as: "user:bob")), try fixture.token(.act(as: "user:nobody")), nil]
            var telling = 0
            for route in RouteTable.routes where route.need == .store && !route.isOfAccounts {
                let name = route.name.hasSuffix("OfStore") ? String(route.name.dropLast("OfStore".count)) : route.name
                let requests = try #require(LeakTests.requests[name], "\(name) is asked nothing")
                for request in requests {
                    for token in callers {
                        let answer = try await ask(fixture, route, request, token)
                        let text = answer.text + answer.headers.map { $0.name + ": " + $0.value }.joined(separator: "\n")
                        for word in LeakTests.hidden {
                            #expect(
                                !text.contains(word), "\(name) \(request.query) \(request.body ?? "") for \(token ?? "-"): \(text)")
                        }
                        #expect(answer.status < 500, "\(name): \(answer.text)")
                    }
                    guard !request.isWrite else { continue }
                    // The same request succeeds for a caller who may see everything.
                    let known = try await ask(fixture, route, request, try fixture.token(.ask))
                    let isAskedAsNobody = known.status == 400 && known.text.contains(" is missing: with this token, ")
                    // These are only feeds.
                    let isFeed = ["replica", "objectChanges", "queryChanges"].contains(name) && known.status == 406
                    #expect(
                        [200, 201].contains(known.status) || isAskedAsNobody || isFeed,
                        "\(name) \(request.query) \(request.body ?? ""): \(known.text)")
                    if LeakTests.hidden.contains(where: known.text.contains) { telling += 1 }
                }
            }
            // The test proves nothing if the secrets do not exist.
            #expect(telling >= 12)
        }
    }

    @Test("A token with `ask` changes nothing, on any route and with any body")
    func askingChangesNothing() async throws {
        try await withService { fixture in
            let root = try fixture.administrator()
            _ = try await fixture.direct.send("POST", "/v1/stores/default/transactions", token: root, json: LeakTests.world)
            let statistics = { try await fixture.direct.send("GET", "/v1/stores/default", token: root).json["head"] }
            let before = try await statistics()
            let token = try fixture.token(.ask, .all)
            for route in RouteTable.routes where route.need == .store && !route.isOfAccounts {
                let name = route.name.hasSuffix("OfStore") ? String(route.name.dropLast("OfStore".count)) : route.name
                for request in LeakTests.requests[name] ?? [] {
                    let answer = try await ask(fixture, route, request, token)
                    // A caller may end its own browser session. It has none.
                    let refusal = name == "endBrowserSession" ? 404 : 403
                    if request.isWrite { #expect(answer.status == refusal, "\(name): \(answer.status) \(answer.text)") }
                }
            }
            #expect(try await statistics() == before)
        }
    }
}
