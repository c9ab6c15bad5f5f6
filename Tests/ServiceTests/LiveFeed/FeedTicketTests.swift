import Credentials
import Events
import HTTPServer
import Muniment
import Permissions
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("Tickets: a browser opens a live feed without a header, once")
struct FeedTicketTests {
    private static let tickets = "/v1/stores/default/tickets"

    /// Requests a ticket over a socket.
    private func ticket(_ fixture: ServiceFixture, _ token: String) async throws -> String {
        let answer = try await fixture.live().send("POST", Self.tickets, token: token)
        #expect(answer.status == 201 && answer.header("Cache-Control") == "no-store", "\(answer.text)")
        guard case .string(let ticket)? = try answer.json["ticket"], case .string(let time)? = try answer.json["expires"] else {
            throw NoTicket(text: answer.text)
        }
        #expect(try Instant(time) == fixture.clock.now.advanced(bySeconds: FeedTickets.lifetimeSeconds))
        return ticket
    }

    private struct NoTicket: Error { let text: String }

    @Test("A ticket opens one feed with the access of its token, and the feed ends when the token is revoked")
    func opensOnce() async throws {
        try await withListeners { fixture in
            let store = try fixture.prepared()
            let port = try fixture.listen()
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            let (token, listed) = try registry.create(
                stores: .named(["default"]), right: .act(as: "user:bob"), until: nil, at: fixture.clock.now)
            let ticket = try await ticket(fixture, token)
            let client = try FeedClient(port: port, LiveFeedTests.notices + "?ticket=\(ticket)", token: nil)
            #expect(client.status == 200)
            #expect(client.read(until: { $0.lastID != nil }))
            try store.write([.grant("user:bob", on: "doc:1", ["read"])])
            #expect(client.next() != nil)
            let again = try FeedClient(port: port, LiveFeedTests.notices + "?ticket=\(ticket)", token: nil)
            #expect(again.status == 401)
            _ = try registry.revoke(id: listed.id, at: fixture.clock.now)
            #expect(client.next() == nil && client.isEnded)
        }
    }

    @Test("An administrator's ticket opens the feed of commits, and names a subscriber")
    func administers() async throws {
        try await withListeners { fixture in
            _ = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.administrator())
            let commits = try FeedClient(
                port: port, LiveFeedTests.commits + "?after=0&ticket=\(try await ticket(fixture, token))", token: nil)
            #expect(commits.status == 200 && commits.next() != nil)
            let notices = try FeedClient(
                port: port, LiveFeedTests.notices + "?for=user:bob&ticket=\(try await ticket(fixture, token))", token: nil)
            #expect(notices.status == 200)
        }
    }

    @Test(
        "A ticket is refused for pages and other requests, for another store, with a header, after its lifetime, and after revocation"
    )
    func refused() async throws {
        try await withListeners { fixture in
            _ = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.administrator())
            let curl = try fixture.live()
            _ = try await curl.send("POST", "/v1/stores", token: token, json: #"{"name":"second"}"#)
            let page = try await curl.send(
                "GET", LiveFeedTests.notices + "?for=user:bob&ticket=\(try await ticket(fixture, token))")
            #expect(page.status == 401)
            let other = try await curl.send("GET", "/v1/stores?ticket=\(try await ticket(fixture, token))")
            #expect(other.status == 401)
            let change = try await curl.send(
                "POST", "/v1/stores/default/transactions?ticket=\(try await ticket(fixture, token))",
                json: #"{"as":"user:root","do":[]}"#)
            #expect(change.status == 401)
            let elsewhere = "/v1/stores/second/commits?ticket=\(try await ticket(fixture, token))"
            #expect(try FeedClient(port: port, elsewhere, token: nil).status == 401)
            let both = LiveFeedTests.commits + "?ticket=\(try await ticket(fixture, token))"
            #expect(try FeedClient(port: port, both, token: token).status == 400)
            for wrong in ["", "ticket_", "ticket_AAAA", token] {
                #expect(try FeedClient(port: port, LiveFeedTests.commits + "?ticket=\(wrong)", token: nil).status == 401)
            }
            let late = try await ticket(fixture, token)
            fixture.clock.advance(seconds: FeedTickets.lifetimeSeconds)
            #expect(try FeedClient(port: port, LiveFeedTests.commits + "?ticket=\(late)", token: nil).status == 401)
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            let (short, listed) = try registry.create(stores: .all, right: .administer, until: nil, at: fixture.clock.now)
            let revoked = try await ticket(fixture, short)
            _ = try registry.revoke(id: listed.id, at: fixture.clock.now)
            #expect(try FeedClient(port: port, LiveFeedTests.commits + "?ticket=\(revoked)", token: nil).status == 401)
        }
    }

    @Test("A ticket needs a credential, and a caller cannot request tickets without limit or use up those of others")
    func limited() async throws {
        try await withService {
            $0.callers.anonymousStores = .all
        } _: { fixture in
            let (one, two) = (try fixture.administrator(), try fixture.token(.ask))
            #expect(try await fixture.direct.send("POST", Self.tickets).status == 401)
            var statuses: Set<Int> = []
            for _ in 0..<FeedTickets.limitOfCaller {
                statuses.insert(try await fixture.direct.send("POST", Self.tickets, token: one).status)
            }
            #expect(statuses == [201])
            #expect(try await fixture.direct.send("POST", Self.tickets, token: one).status == 429)
            #expect(try await fixture.direct.send("POST", Self.tickets, token: two).status == 201)
            fixture.clock.advance(seconds: FeedTickets.lifetimeSeconds)
            #expect(try await fixture.direct.send("POST", Self.tickets, token: one).status == 201)
        }
    }

    @Test("A clock that is set back neither extends a ticket nor keeps the limit of a caller")
    func clockSetBack() async throws {
        try await withListeners { fixture in
            _ = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.administrator())
            fixture.clock.advance(seconds: 3600)
            for _ in 0..<FeedTickets.limitOfCaller { _ = try await ticket(fixture, token) }
            fixture.clock.advance(seconds: -3600)
            _ = try await ticket(fixture, token)
            // The first ticket expires last.
            fixture.clock.advance(seconds: FeedTickets.lifetimeSeconds)
            _ = try await ticket(fixture, token)
            fixture.clock.advance(seconds: -10)
            let late = try await ticket(fixture, token)
            fixture.clock.advance(seconds: FeedTickets.lifetimeSeconds)
            #expect(try FeedClient(port: port, LiveFeedTests.commits + "?ticket=\(late)", token: nil).status == 401)
        }
    }

    @Test("No log contains a ticket", arguments: [LogFormat.text, .json])
    func logs(format: LogFormat) async throws {
        let written = Mutex<[UInt8]>([])
        try await withListeners {
            $0.logFormat = format
            $0.decisionLogs = .all
            $0.writeLog = { bytes in written.withLock { $0 += bytes } }
            $0.report = { line in written.withLock { $0 += Array(line.utf8) } }
            $0.note = { _, line in written.withLock { $0 += Array(line.utf8) } }
        } _: { fixture in
            _ = try fixture.prepared()
            let (port, token) = (try fixture.listen(), try fixture.administrator())
            let ticket = try await ticket(fixture, token)
            for target in [LiveFeedTests.commits, LiveFeedTests.notices, "/nowhere", "/v1/stores"] {
                _ = try FeedClient(port: port, target + "?ticket=\(ticket)", token: nil).status
            }
            try fixture.stopListening()
            fixture.service.operations.flush()
            let text = written.withLock { String(decoding: $0, as: UTF8.self) }
            #expect(text.contains("/v1/stores/default/commits") && text.contains("/nowhere"))
            #expect(!text.contains(ticket) && !text.contains("ticket_"))
        }
    }
}
