import Credentials
import Events
import Foundation
import HTTPServer
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Who may call what with which token: every route of the table, every kind of caller")
struct CallerTableTests {
    /// The routes that anybody may ask. Whoever adds one says here that it is meant so.
    private static let open: Set<String> = [
        "health", "readiness", "openAPI", "listProblems", "describeProblem", "authzenConfiguration", "authzenConfigurationOfStore",
        "listProviders", "beginSignIn", "signUp", "verifyEmail", "signIn", "requestReset", "confirmReset", "refreshSession",
    ]

    /// A service with accounts, so that all routes are there.
    private func withService(
        _ change: (inout ServiceSettings) -> Void = { _ in }, _ body: (ServiceFixture) async throws -> Void
    ) async throws {
        try await ServiceSupport.withService {
            $0.openAccounts(KeptMails())
            change(&$0)
        } _: {
            try await body($0)
        }
    }

    /// What the server says on the head of a request, before it reads a body.
    private struct Head: Hashable {
        /// 0 where it is let in.
        let status: Int
        let text: String
        let challenge: String?
    }

    private func head(_ fixture: ServiceFixture, _ route: Route, store: String, _ authorization: String?) -> Head {
        var target = ""
        for segment in route.path.segments {
            switch segment {
            case .word(let word): target += "/" + word
            case .parameter(let name): target += "/" + (name == "store" ? store : "doc:1")
            }
        }
        let headers = authorization.map { [HTTPHeader("Authorization", $0)] } ?? []
        let request = HTTPRequest(
            method: route.method, target: target, headers: headers, body: [], respond: { _ in Issue.record("answered twice") })
        guard case .refused(let response) = fixture.service.admit(request) else { return Head(status: 0, text: "", challenge: nil) }
        guard case .bytes(let bytes) = response.body else { return Head(status: response.status, text: "a stream", challenge: nil) }
        return Head(
            status: response.status, text: String(decoding: bytes, as: UTF8.self),
            challenge: response.headers.first { $0.name == "WWW-Authenticate" }?.value)
    }

    private var guarded: [Route] { RouteTable.routes.filter { $0.need != .nothing } }

    @Test("What anybody may ask is listed here, and nothing else")
    func openRoutes() {
        #expect(Set(RouteTable.routes.filter { $0.need == .nothing }.map(\.name)) == CallerTableTests.open)
        #expect(guarded.count > 1)
    }

    @Test("Without a good credential every other route answers 401, in the same words whatever exists")
    func unauthenticated() async throws {
        try await withService { fixture in
            let ended = try fixture.token(.administer, .all, until: fixture.clock.now.later(seconds: 1))
            let revoked = try fixture.administrator()
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            try registry.revoke(id: try #require(try registry.list().last).id, at: fixture.clock.now)
            fixture.clock.advance(seconds: 10)
            let good = try fixture.administrator()
            let credentials: [String?] = [
                nil, "", "Bearer", "Bearer ", "Bearer x", "Bearer " + ended, "Bearer " + revoked, "Bearer \(good) \(good)",
                "Bearer \(good).", "Basic " + good, good, "Bearer " + good.uppercased(), "Bearer local_" + good.dropFirst(5),
                "Bearer a.b.c", "Bearer " + String(good.dropLast()),
            ]
            // Whoever comes with what looks like the token of a session is told to get a new one.
            let ofSessions: [String?] = ["Bearer muna_" + good.dropFirst(5), "Bearer muna_"]
            for (route, credentials) in guarded.flatMap({ [($0, credentials), ($0, ofSessions)] }) {
                var heads: Set<Head> = []
                for credential in credentials {
                    for store in ["default", "nowhere", "..", "%00"] {
                        heads.insert(head(fixture, route, store: store, credential))
                        // Every second of the clock forgives one wrong credential of an address.
                        fixture.clock.advance(seconds: 1)
                    }
                }
                #expect(heads.count == 1, "\(route.name): \(heads)")
                #expect(heads.first?.status == 401, "\(route.name)")
                #expect(heads.first?.challenge?.hasPrefix("Bearer") == true, "\(route.name)")
            }
        }
    }

    @Test("A token of another store answers 403, in the same words whether the store is there or not")
    func otherStore() async throws {
        try await withService { fixture in
            for right: Right in [.ask, .act(as: "user:ann"), .administer] {
                let token = try fixture.token(right, .named(["other"]))
                for route in guarded where route.storePlace != nil {
                    var heads: Set<Head> = []
                    // The paths of the root are the default store's alone.
                    let stores =
                        route.path.parameters.contains("store") ? ["default", "nowhere", "..", "othe", "other2"] : ["default"]
                    for store in stores { heads.insert(head(fixture, route, store: store, "Bearer " + token)) }
                    #expect(heads.map(\.status) == [403], "\(route.name) for \(right)")
                }
            }
        }
    }

    @Test("A token reaches the routes that its right is for, and no others")
    func rights() async throws {
        try await withService { fixture in
            let rows: [(right: Right, stores: StoreScope, reached: Set<CallerNeed>)] = [
                (.act(as: "user:ann"), .all, [.store]),
                (.act(as: "user:root"), .all, [.store]),
                (.act(as: "anonymous"), .all, [.store]),
                (.ask, .all, [.store, .asking]),
                (.ask, .named(["default"]), [.store, .asking]),
                (.administer, .named(["default"]), [.store, .asking, .administering]),
                (.administer, .all, [.store, .asking, .administering, .administeringAll]),
            ]
            for row in rows {
                let token = try fixture.token(row.right, row.stores)
                for route in guarded {
                    let status = head(fixture, route, store: "default", "Bearer " + token).status
                    #expect(
                        status == (row.reached.contains(route.need) ? 0 : 403), "\(route.name) for \(row.right) in \(row.stores)")
                }
            }
        }
    }

    @Test("Without a credential only the stores that allow it are reached, with what anonymous may do")
    func anonymous() async throws {
        try await withService { settings in
            settings.callers.anonymousStores = .named(["default"])
        } _: { fixture in
            for route in guarded {
                let isOfStore = route.storePlace != nil
                let expected = !isOfStore ? 401 : route.need == .store ? 0 : 403
                #expect(head(fixture, route, store: "default", nil).status == expected, "\(route.name)")
                // A wrong credential is not as good as none.
                #expect(head(fixture, route, store: "default", "Bearer x").status == 401, "\(route.name)")
                fixture.clock.advance(seconds: 1)
                guard route.path.parameters.contains("store") else { continue }
                #expect(head(fixture, route, store: "nowhere", nil).status == 401, "\(route.name)")
            }
        }
    }
}
