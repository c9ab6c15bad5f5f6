import Credentials
import Events
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import MunimentClient

@Suite("Feeds", .timeLimit(.minutes(60)))
struct FeedTests {
    @Test("A feed has past notices and new ones, and ends with its loop")
    func notices() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            try await store.share("doc:plan")
            var kinds: [String] = []
            for try await event in store.noticeFeed(for: "user:bob", after: "0") {
                kinds.append(event.value.kind)
                #expect(event.type == "muniment.notice.\(event.value.kind)" && event.value.object == "doc:plan")
                if kinds.count == 1 { try await store.revoke("user:bob", on: "doc:plan") } else { break }
            }
            #expect(kinds == ["shared", "madeInaccessible"])
        }
    }

    @Test("A feed continues after the id of an event")
    func resumes() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            try await store.share("doc:a", "doc:b", "doc:c")
            let all = try await events(3, store.noticeFeed(for: "user:bob", after: "0"))
            #expect(Set(all.map(\.value.object)) == ["doc:a", "doc:b", "doc:c"])
            for (number, event) in all.dropLast().enumerated() {
                let rest = try await events(2 - number, store.noticeFeed(for: "user:bob", after: event.id))
                #expect(rest == Array(all[(number + 1)...]))
            }
        }
    }

    @Test("The feed of commits has their events and hashes")
    func commits() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            let head = try await store.statistics()
            let event = try await events(1, store.commitFeed(after: "0")).first
            #expect(event?.type == "muniment.commit" && event?.value.revision == head.revision)
            #expect(event?.value.hash == head.hash && event?.value.events.first?.kind == "ClassDefined")
        }
    }

    @Test("The feed of changes has each change of the value, and ends after the event with the reason")
    func changes() async throws {
        try await withStore { store, service in
            try await store.prepare()
            try await store.share("doc:plan")
            let address = try ServiceAddress("http://127.0.0.1:\(try service.listen())")
            let bob = FixedToken(try service.token(.act(as: "user:bob")))
            let bobs = StoreClient(ServiceConnection(address, tokens: bob))
            let start = try await store.statistics().revision
            try await store.write("doc:plan", .object(["pages": .null]), expecting: nil)
            try await store.revoke("user:bob", on: "doc:plan")
            let seen = AsyncStream.makeStream(of: ObjectChange.self)
            try await store.share("doc:plan", with: "user:bob", ["read"])
            for try await event in bobs.changeFeed(of: "doc:plan", at: "/pages", after: "\(start)") {
                #expect(event.type == "muniment.change.\(event.value.kind)")
                seen.continuation.yield(event.value)
            }
            seen.continuation.finish()
            let found = await seen.stream.reduce(into: []) { $0.append($1) }
            #expect(found.map(\.kind) == ["valueChanged", "accessEnded"] && found.map(\.isEnd) == [false, true])
            #expect(found.first?.value == .null && found.last?.value == nil)
            #expect(found.map(\.revision) == [start.next, start.next.next])
        }
    }

    @Test("Each event arrives once over broken connections, also with a reader that is too slow")
    func brokenConnections() async throws {
        try await withStore { store, service in
            try await store.prepare()
            let objects = (0..<40).map { Name("doc:\($0)") }
            for pair in stride(from: 0, to: 40, by: 2) { try await store.share(objects[pair], objects[pair + 1]) }
            let address = try ServiceAddress("http://127.0.0.1:\(try service.listen())")
            for limit in [700, 3_000] {
                let transport = BreakingTransport(SystemTransport(address, streamBytes: 500), afterBytes: limit)
                var connection = ServiceConnection(transport, tokens: FixedToken(try service.administrator()))
                connection.pause = { _ in await Task.yield() }
                let feed = StoreClient(connection).noticeFeed(for: "user:bob", after: "0")
                let found = try await events(40, feed)
                #expect(found.map(\.value.object).sorted() == objects.sorted() && transport.connections > 3)
            }
        }
    }

    @Test("A rejected feed throws, and does not connect again")
    func rejected() async throws {
        try await withStore { store, service in
            var error = await #expect(throws: ServiceError.self) {
                try await events(1, store.noticeFeed(for: "user:bob", after: "99"))
            }
            #expect(error?.problem?.kind == .malformed)
            let address = try ServiceAddress("http://127.0.0.1:\(try service.listen())")
            let stranger = StoreClient(ServiceConnection(address, tokens: FixedToken("wrong")))
            error = await #expect(throws: ServiceError.self) { try await events(1, stranger.commitFeed()) }
            #expect(error?.problem?.kind == .unauthenticated)
        }
    }

    @Test("A feed waits for a service that is not reached, and then continues")
    func unreachable() async throws {
        try await withStore { store, service in
            try await store.prepare()
            try await store.share("doc:plan")
            let address = try ServiceAddress("http://127.0.0.1:\(try service.listen())")
            let transport = BreakingTransport(SystemTransport(address), afterBytes: .max, refusing: 10)
            var connection = ServiceConnection(transport, tokens: FixedToken(try service.administrator()))
            connection.pause = { _ in }
            let found = try await events(1, StoreClient(connection).noticeFeed(for: "user:bob", after: "0"))
            #expect(found.map(\.value.object) == ["doc:plan"] && transport.connections == 11)
        }
    }

    @Test("A cancelled task ends its loop over a feed")
    func cancelled() async throws {
        try await withStore { store, _ in
            try await store.prepare()
            try await store.share("doc:plan")
            let seen = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                var count = 0
                for try await _ in store.noticeFeed(for: "user:bob", after: "0") {
                    count += 1
                    seen.continuation.yield()
                }
                return count
            }
            for await _ in seen.stream { break }
            task.cancel()
            #expect(try await task.value == 1)
        }
    }

    private func events<Value>(_ count: Int, _ feed: Feed<Value>) async throws -> [FeedEvent<Value>] {
        var found: [FeedEvent<Value>] = []
        guard count > 0 else { return found }
        for try await event in feed {
            found.append(event)
            if found.count == count { break }
        }
        return found
    }
}

/// A transport that refuses some connections, and breaks each stream after some bytes.
private final class BreakingTransport: HTTPTransport {
    private let inner: any HTTPTransport
    private let limit: Int
    private let refused: Int
    private let opened = Mutex(0)

    init(_ inner: any HTTPTransport, afterBytes limit: Int, refusing refused: Int = 0) {
        (self.inner, self.limit, self.refused) = (inner, limit, refused)
    }

    var connections: Int { opened.withLock { $0 } }

    func send(_ request: ServiceRequest) async throws(TransportError) -> ServiceResponse { try await inner.send(request) }

    func open(_ request: ServiceRequest) async throws(TransportError) -> any ResponseStream {
        let number = opened.withLock { number in
            number += 1
            return number
        }
        if number <= refused { throw .notSent("refused") }
        return BreakingStream(try await inner.open(request), limit)
    }
}

private final class BreakingStream: ResponseStream {
    private let inner: any ResponseStream
    private let left: Mutex<Int>

    init(_ inner: any ResponseStream, _ limit: Int) {
        self.inner = inner
        left = Mutex(limit)
    }

    var status: Int { inner.status }
    var headers: [String: String] { inner.headers }
    var isCut: Bool { inner.isCut }
    func cancel() { inner.cancel() }

    func next() async throws(TransportError) -> [UInt8]? {
        guard left.withLock({ $0 > 0 }) else { throw .noAnswer("broken") }
        guard let bytes = try await inner.next() else { return nil }
        let count = left.withLock { left in
            defer { left -= bytes.count }
            return min(left, bytes.count)
        }
        return Array(bytes.prefix(count))
    }
}
