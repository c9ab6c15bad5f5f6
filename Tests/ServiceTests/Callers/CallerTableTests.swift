import Credentials
import Events
import Foundation
import HTTPServer
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Tokens and rights: every route of the table, every kind of caller")
struct CallerTableTests {
    /// The open routes. If you add an open route, add it here to confirm that this is intended.
    private static let open: Set<String> = [
        "health", "readiness", "openAPI", "listProblems", "describeProblem", "authzenConfiguration", "authzenConfigurationOfStore",
        "listProviders", "beginSignIn", "signUp", "confirmSignUp", "signIn", "requestReset", "confirmReset", "refreshSession",
    ]

    /// Runs a test with a service that has accounts, so that all routes exist.
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

    /// The server's response to the head of a request, before it reads a body.
    private struct Head: Hashable {
        /// The status, or 0 if the request is admitted.
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

    @Test("Only the routes listed in this test are open to unauthenticated callers")
    func openRoutes() {
        #expect(Set(RouteTable.routes.filter { $0.need == .nothing }.map(\.name)) == CallerTableTests.open)
        #expect(guarded.count > 1)
    }

    @Test("Without a valid credential every other route answers 401 with the same text for existing and missing entities")
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
            // A caller with a token that looks like a session token is told to get a new one.
            let ofSessions: [String?] = ["Bearer muna_" + good.dropFirst(5), "Bearer muna_"]
            for (route, credentials) in guarded.flatMap({ [($0, credentials), ($0, ofSessions)] }) {
                var heads: Set<Head> = []
                for credential in credentials {
                    for store in ["default", "nowhere", "..", "%00"] {
                        heads.insert(head(fixture, route, store: store, credential))
                        // Each second of the clock allows an address one more wrong credential.
                        fixture.clock.advance(seconds: 1)
                    }
                }
                #expect(heads.count == 1, "\(route.name): \(heads)")
                #expect(heads.first?.status == 401, "\(route.name)")
                #expect(heads.first?.challenge?.hasPrefix("Bearer") == true, "\(route.name)")
            }
        }
    }

    @Test("A token of another store answers 403, with the same text for existing and missing stores")
    func otherStore() async throws {
        try await withService { fixture in
            for right: Right in [.ask, .observe, .act(as: "user:ann"), .administer] {
                let token = try fixture.token(right, .named(["other"]))
                for route in guarded where route.storePlace != nil {
                    var heads: Set<Head> = []
                    // Paths at the root belong only to the default store.
                    let stores =
                        route.path.parameters.contains("store") ? ["default", "nowhere", "..", "othe", "other2"] : ["default"]
                    for store in stores { heads.insert(head(fixture, route, store: store, "Bearer " + token)) }
                    #expect(heads.map(\.status) == [403], "\(route.name) for \(right)")
                }
            }
        }
    }

    @Test("A token reaches only the routes of its right")
    func rights() async throws {
        try await withService { fixture in
            let rows: [(right: Right, stores: StoreScope, reached: Set<RequiredRight>)] = [
                (.act(as: "user:ann"), .all, [.store]),
                (.act(as: "user:root"), .all, [.store]),
                (.act(as: "anonymous"), .all, [.store]),
                (.ask, .all, [.store, .asking]),
                (.ask, .named(["default"]), [.store, .asking]),
                (.observe, .all, [.observing]),
                (.observe, .named(["default"]), [.observing]),
                (.administer, .named(["default"]), [.store, .asking, .observing, .administering]),
                (.administer, .all, [.store, .asking, .observing, .administering, .administeringAll]),
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

    @Test("A caller without a credential reaches only stores that allow it, with the privileges of `anonymous`")
    func anonymous() async throws {
        try await withService { settings in
            settings.callers.anonymousStores = .named(["default"])
        } _: { fixture in
            for route in guarded {
                let isOfStore = route.storePlace != nil
                let expected = !isOfStore ? 401 : route.need == .store ? 0 : 403
                #expect(head(fixture, route, store: "default", nil).status == expected, "\(route.name)")
                // A wrong credential is rejected here, although a missing one is accepted.
                #expect(head(fixture, route, store: "default", "Bearer x").status == 401, "\(route.name)")
                fixture.clock.advance(seconds: 1)
                guard route.path.parameters.contains("store") else { continue }
                #expect(head(fixture, route, store: "nowhere", nil).status == 401, "\(route.name)")
            }
        }
    }
}
