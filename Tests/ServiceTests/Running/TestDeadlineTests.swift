import Credentials
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("A test's wait ends with its event or with an error")
struct TestDeadlineTests {
    @Test("A client that waits for an event times out, even if heartbeats keep arriving", .timeLimit(.minutes(60)))
    func feed() async throws {
        try await withListeners { fixture in
            _ = try fixture.prepared()
            let client = try FeedClient(
                port: fixture.listen(), LiveFeedTests.notices, token: fixture.token(.act(as: "user:bob")), timeoutSeconds: 1)
            let feeds = fixture.service.liveFeeds
            let beginning = ContinuousClock.now
            let beats = Task {
                while !Task.isCancelled, .now < beginning + .seconds(30) {
                    feeds.tick()
                    await Task.yield()
                }
            }
            let event = client.next()
            #expect(event == nil && .now < beginning + .seconds(25))
            #expect(!client.read(until: { $0.retryMilliseconds == 0 }) && .now < beginning + .seconds(25))
            beats.cancel()
            await beats.value
        }
    }

    @Test("A test that waits for a mail that is never sent gets an error", .timeLimit(.minutes(60)))
    func mail() async {
        let mails = KeptMails()
        await #expect(throws: KeptMails.NoMail.self) {
            try await mails.nextCode(to: "ann@example.com", after: 0, timeoutSeconds: 0)
        }
    }
}
