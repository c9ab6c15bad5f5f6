import Credentials
import Events
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("Hostile: a caller opens the permitted number of feeds and commits many changes that they report")
struct ManyFeedsTests {
    private static let feedCount = 256
    private static let objects = (0..<400).map { "doc:eve\($0)" }
    private static let world =
        #"{"as":"user:root","do":[{"op":"defineClass","class":"doc","creatorPrivileges":["read","query"]}"#
        + #",{"op":"register","principal":"user:eve"},{"op":"register","principal":"user:ordinary"}]}"#

    /// Compares progress, not times: a busy machine slows the feeds and the commits.
    @Test("E14, F14: commits, checks and feeds of other callers do not wait for 256 feeds, which report each notice once")
    func feedsDelayNobody() async throws {
        try await withListeners { settings in
            _ = try? Store.create(at: "\(settings.dataDirectory)/default", preset: .open).close()
        } _: { fixture in
            let port = try fixture.listen()
            // One open connection: starting a program for each request would take longer than the request.
            let client = try PlainClient(port: port)
            let eve = try fixture.token(.act(as: "user:eve"))
            let ordinary = try fixture.token(.act(as: "user:ordinary"))
            func send(_ route: String, _ token: String, _ body: String) throws {
                let headers = ["Authorization": "Bearer \(token)", "Content-Type": "application/json"]
                let answer = try client.send("POST", "/v1/stores/default/\(route)", headers: headers, body: body)
                #expect(answer.0 == 200, "\(answer.body)")
            }
            func openFeed(_ token: String) throws -> FeedClient {
                try FeedClient(port: port, "/v1/stores/default/notices", token: token, timeoutSeconds: 300)
            }
            try send("transactions", try fixture.administrator(), Self.world)
            let feeds = try (0..<Self.feedCount).map { _ in try openFeed(eve) }
            let feed = try openFeed(ordinary)
            #expect((feeds + [feed]).allSatisfy { $0.status == 200 })
            let changes = Self.objects.map { #"{"op":"createObject","object":"\#($0)"}"# }
            try send("transactions", eve, #"{"do":[\#(changes.joined(separator: ","))]}"#)
            for number in 0..<3 {
                let object = "doc:ordinary\(number)"
                try send("transactions", ordinary, #"{"do":[{"op":"createObject","object":"\#(object)"}]}"#)
                try send("check", ordinary, #"{"subject":"user:ordinary","privilege":"read","object":"\#(object)"}"#)
                #expect(try feed.next()?.json["subject"] == .string(object))
            }
            // An unread feed has room for more than a quarter of its notices.
            let sent = Int(fixture.service.operations.counts.noticesSent.value)
            #expect(sent < Self.feedCount * Self.objects.count / 4, "the requests waited for \(sent) notices of the feeds")
            let events = [feeds[0], feeds[100], feeds[255]].map { feed in Self.objects.compactMap { _ in feed.next()?.data } }
            let told = try events[0].map { try JSONText.decode(Array($0.utf8))["subject"] }
            #expect(Set(told) == Set(Self.objects.map { .string($0) }))
            #expect(events.allSatisfy { $0 == events[0] })
        }
    }
}
