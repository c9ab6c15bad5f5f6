import Credentials
import Events
import Files
import Foundation
import Muniment
import Permissions
import ServiceSupport
import TestSupport
import Testing

@testable import Service

@Suite("The feed of a replica", .timeLimit(.minutes(60)))
struct ReplicaStreamTests {
    /// Documents that Ann may read, one that only Bob may read, and one that both may.
    private static func prepare(_ fixture: ServiceFixture) throws -> Store {
        let store = try #require(try fixture.service.data.store(.default)).store
        let everyone: [Change] = [
            .grant("everyone", on: "store", ["read", "update", "query"]), .grant("everyone", on: "class:doc", ["read", "update"]),
        ]
        let objects: [Change] = [
            .createObject("doc:folder"),
            .createObject("doc:ann", parent: "doc:folder", value: .object(["text": .string("for ann")])),
            .createObject("doc:bob", parent: "doc:folder", value: .object(["text": .string("taint")])),
            .createObject("doc:both", value: .integer(1)),
            .grant("user:ann", on: "doc:ann", ["read", "update"]), .grant("user:bob", on: "doc:bob", ["read"]),
            .grant("user:bob", on: "doc:folder", ["read"]),
            .grant("user:ann", on: "doc:both", ["read"]), .grant("user:bob", on: "doc:both", ["read"]),
        ]
        try store.write(
            [.defineClass("doc"), .defineClass("note"), .register("user:ann"), .register("user:bob")] + everyone + objects)
        return store
    }

    @Test("R17, E15: a fill sends the objects that the user may read, with values, parents and privileges, and nothing of others")
    func fills() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let port = try fixture.listen()
            let end = fixture.clock.now.advanced(bySeconds: 3_600)
            try store.write([.grant("user:ann", on: "doc:both", ["update"], until: end)])
            let ann = try ReplicaClient(port: port, token: fixture.token(.act(as: "user:ann")))
            let bob = try ReplicaClient(port: port, "?class=doc&as=user:bob", token: fixture.token(.ask))
            #expect(try ann.next() == .object(["kind": .string("fill")]))
            #expect(try bob.next() == .object(["kind": .string("fill")]))
            #expect(ann.objects.keys.sorted() == ["doc:ann", "doc:both"])
            #expect(bob.objects.keys.sorted() == ["doc:bob", "doc:both", "doc:folder"])
            #expect(!ann.received.contains("taint") && !ann.received.contains("bob") && !ann.received.contains("folder"))
            #expect(bob.objects["doc:bob"]?["parent"] == .string("doc:folder") && ann.objects["doc:ann"]?["parent"] == nil)
            #expect(
                ann.objects["doc:both"]
                    == [
                        "object": .string("doc:both"), "class": .string("doc"), "value": .integer(1), "changed": .integer(1),
                        "privileges": .object(["read": .null, "update": .time(end)]),
                    ])
            #expect(
                try ann.step.last?.json
                    == .object([
                        "revision": .revision(store.head.revision), "time": .time(store.head.time),
                        "classes": .array([
                            .object(["class": .string("doc"), "privileges": .object(["read": .null, "update": .null])])
                        ]),
                    ]))
        }
    }

    @Test("R17: a commit sends only the difference, as one step, and only to affected users")
    func changes() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let port = try fixture.listen()
            let (ann, bob) = (
                try ReplicaClient(port: port, token: fixture.token(.act(as: "user:ann"))),
                try ReplicaClient(port: port, token: fixture.token(.act(as: "user:bob")))
            )
            try ann.next()
            try bob.next()
            let start = try store.head.revision
            try store.write([.writeObject("doc:ann", .value(.string("new")))])
            #expect(try ann.next() == .object(["kind": .string("changes"), "after": .revision(start)]))
            #expect(ann.value("doc:ann") == .string("new") && ann.step.count == 3)
            // Bob receives nothing of that commit: his next step is about the next one.
            try store.write([
                .revoke("user:bob", on: "doc:both"), .createObject("doc:more"), .grant("user:bob", on: "doc:more", ["read"]),
            ])
            #expect(try bob.next()?["kind"] == .string("changes"))
            #expect(bob.objects.keys.sorted() == ["doc:bob", "doc:folder", "doc:more"])
            #expect(!bob.received.contains("new"))
            // A privilege on the class alone is a step without objects.
            try store.write([.grant("everyone", on: "class:doc", ["query"])])
            try bob.next()
            #expect(bob.step.map(\.kind) == ["begin", "end"] && bob.step.last?.data.contains("\"query\":null") == true)
        }
    }

    @Test("R17: a client that reconnects at its position receives the net difference, and an interrupted fill continues")
    func reconnects() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:ann")))
            let first = try ReplicaClient(port: port, token: token)
            try first.next()
            let position = try #require(first.position)
            for number in 0..<20 { try store.write([.writeObject("doc:ann", .value(.string("draft \(number)")))]) }
            try store.write([.revoke("user:ann", on: "doc:both")])
            let again = try ReplicaClient(port: port, token: token, lastID: position, objects: first.objects)
            #expect(try again.next()?["kind"] == .string("changes"))
            #expect(again.objects.keys.sorted() == ["doc:ann"] && again.value("doc:ann") == .string("draft 19"))
            #expect(!again.received.contains("draft 18"))
            // The position after the first part of a fill.
            let fill = try ReplicaClient(port: port, token: token)
            try fill.next()
            let middle = try #require(fill.step.first { $0.kind == "objects" }).id
            let resumed = try ReplicaClient(port: port, token: token, lastID: middle, objects: fill.objects)
            #expect(try resumed.next() == .object(["kind": .string("fill"), "resumed": .bool(true)]))
            #expect(resumed.step.map(\.kind) == ["begin", "end"] && resumed.objects == fill.objects)
            // Another set of classes is a new fill.
            let other = try ReplicaClient(port: port, "?class=doc&class=note", token: token, lastID: position)
            #expect(try other.next() == .object(["kind": .string("fill")]))
        }
    }

    @Test("R17: with a window, the response of a fill ends with a position, and the next one continues there")
    func windows() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            try store.write(
                (0..<600).flatMap { number -> [Change] in
                    [.createObject(Name("doc:\(number)")), .grant("user:ann", on: Name("doc:\(number)"), ["read"])]
                })
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:ann")))
            var (names, position, responses): ([String], String?, Int) = ([], nil, 0)
            while true {
                let window = try ReplicaClient(port: port, "?class=doc&window=1", token: token, lastID: position)
                let isLast = try window.next() != nil
                responses += 1
                for event in window.step where event.kind == "objects" { names += try ReplicaClient.changedNames(event) }
                position = window.position
                if isLast { break }
            }
            #expect(responses > 1 && names.count == 602 && Set(names).count == 602, "\(responses)")
        }
    }

    @Test("R17: a store that was restored from a backup resets the replica")
    func restored() async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/muniment-replica-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let (position, revision) = try Self.lostPosition(in: folder)
        try await withListeners { settings in
            do {
                try makeFolder(settings.dataDirectory)
                _ = try Store.restore(folder + "/backup", to: settings.dataDirectory + "/default", options: settings.storeOptions)
            } catch { Issue.record(error) }
        } _: { fixture in
            let store = try #require(try fixture.service.data.store(.default)).store
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:ann")))
            #expect(try store.head.revision < revision)
            for _ in 0..<3 {
                let client = try ReplicaClient(port: port, token: token, lastID: position)
                #expect(try client.next() == .object(["kind": .string("fill"), "reset": .string("restored")]))
                #expect(client.value("doc:1") == .string("kept"))
                // The new history reaches the revision of the lost one, with another commit.
                try store.write([.createObject(Name("doc:new\(try store.head.revision)"))])
            }
            #expect(try store.head.revision > revision)
        }
    }

    @Test("R17: a store without the commit of a receipt resets the replica, even if it has the position")
    func lostCommit() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:ann")))
            let first = try ReplicaClient(port: port, token: token)
            try first.next()
            let position = first.position
            let receipt = try store.commit(
                Transaction("user:root", [.writeObject("doc:ann", .value(.object(["text": .string("new")])))]))
            let (revision, hash) = (try #require(receipt.revision), try #require(receipt.hash))
            let other = String(hash.reversed())
            let reset = JSONValue.object(["kind": .string("fill"), "reset": .string("restored")])
            for commit in ["\(revision).\(other)", "\(revision.next).\(hash)"] {
                let client = try ReplicaClient(port: port, "?class=doc&contains=\(commit)", token: token, lastID: position)
                #expect(try client.next() == reset, "\(commit)")
            }
            let kept = try ReplicaClient(port: port, "?class=doc&contains=\(revision).\(hash)", token: token, lastID: position)
            #expect(try kept.next()?["kind"] == .string("changes"))
            for text in ["7", "7.", ".\(hash)", "x.\(hash)", "7.\(hash.dropLast())"] {
                #expect(try ReplicaClient(port: port, "?class=doc&contains=\(text)", token: token).status == 400, "\(text)")
            }
        }
    }

    /// Makes a backup of a store, and then a commit that the backup lacks. Returns the position of a replica after that.
    private static func lostPosition(in folder: String) throws -> (String, Revision) {
        let store = try Store.create(at: folder + "/store", preset: .open)
        defer { try? store.close() }
        try store.write([
            .defineClass("doc"), .createObject("doc:1", value: .string("kept")), .grant("everyone", on: "doc:1", ["read"]),
        ])
        _ = try store.backup(to: folder + "/backup")
        try store.write([.writeObject("doc:1", .value(.string("lost")))])
        let feed = try store.replica(of: "user:ann", classes: ["doc"])
        return (try feed.position(at: store.head.revision).description, try store.head.revision)
    }

    @Test("E15: the feed ends when its token is revoked, and sends nothing more")
    func endsWithItsToken() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let registry = TokenRegistry(dataDirectory: fixture.directory)
            let (secret, token) = try registry.create(
                stores: .named(["default"]), right: .act(as: "user:ann"), until: nil, at: fixture.clock.now)
            let client = try ReplicaClient(port: try fixture.listen(), token: secret)
            try client.next()
            _ = try registry.revoke(id: token.id, at: fixture.clock.now)
            try store.write([.writeObject("doc:ann", .value(.string("after the revocation")))])
            #expect(try client.next() == nil && client.feed.isEnded)
            #expect(!client.received.contains("after the revocation"))
        }
    }

    @Test("E15: requests without permission, without classes or with an invalid position are refused")
    func refuses() async throws {
        try await withListeners { fixture in
            _ = try Self.prepare(fixture)
            let port = try fixture.listen()
            let (ann, asking) = (try fixture.token(.act(as: "user:ann")), try fixture.token(.ask))
            let cases: [(query: String, token: String, status: Int)] = [
                ("?class=doc", "muni_wrong", 401), ("?class=doc&as=user:bob", ann, 403), ("?class=doc", asking, 400),
                ("?class=doc&as=role:crew", asking, 400), ("", ann, 400), ("?class=nothing", ann, 404), ("?class=user", ann, 404),
                ("?class=doc&after=7", ann, 400), ("?class=doc&window=0", ann, 400), ("?class=doc&window=x", ann, 400),
                ("?class=doc&other=1", ann, 400), ("?class=doc&as=user:never", asking, 200),
            ]
            for (query, token, status) in cases {
                #expect(try ReplicaClient(port: port, query, token: token).status == status, "\(query)")
            }
            let plain = try await fixture.direct.send("GET", "/v1/stores/default/replica?class=doc", token: ann)
            #expect(plain.status == 406)
        }
    }

    @Test("R17: a slow client costs only one part of its fill, and receives everything", .disabled(if: TestSettings.isSanitized))
    func slowClient() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let text = String(repeating: "x", count: 20_000)
            for group in 0..<20 {
                try store.write(
                    (0..<40).flatMap { number -> [Change] in
                        let name = Name("doc:\(group)-\(number)")
                        return [.createObject(name, value: .string(text)), .grant("user:ann", on: name, ["read"])]
                    })
            }
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:ann")))
            let slow = try ReplicaClient(port: port, token: token, receiveBufferBytes: 4_096)
            let quick = try ReplicaClient(port: port, token: token)
            try quick.next()
            #expect(quick.objects.count == 802)
            #expect(fixture.service.liveFeeds.bufferedBytes <= 512 << 10)
            slow.feed.readQuickly()
            try slow.next()
            #expect(slow.objects == quick.objects)
        }
    }

    @Test("R17: heartbeats advance the position of a replica past commits that do not affect it")
    func beats() async throws {
        try await withListeners { fixture in
            let store = try Self.prepare(fixture)
            let (port, token) = (try fixture.listen(), try fixture.token(.act(as: "user:ann")))
            let client = try ReplicaClient(port: port, token: token)
            try client.next()
            let position = try #require(client.position)
            try await until("the feed waits") { store.waitingObservers > 0 }
            for _ in 0..<5 { try store.write([.writeObject("doc:bob", .value(.integer(2)))]) }
            for _ in 1...15 { fixture.service.liveFeeds.tick() }
            #expect(client.feed.read(until: { $0.lastID != position }))
            let later = try #require(client.position)
            #expect(later.hasPrefix("\(try store.head.revision)."))
            try store.write([.writeObject("doc:ann", .value(.integer(3)))])
            let again = try ReplicaClient(port: port, token: token, lastID: later, objects: client.objects)
            #expect(try again.next()?["kind"] == .string("changes"))
            #expect(again.value("doc:ann") == .integer(3))
        }
    }
}
