import Events
import Muniment
import MunimentRecipes
import Notices
import Permissions
import StoreSupport
import TestSupport
import Testing

@Suite("Shared objects: notices", .timeLimit(.minutes(60)))
struct SharedObjectNoticeTests {
    /// A user's notices of one kind: objects that were inaccessible before, and objects that were accessible.
    private struct Told: Equatable {
        var kind: Notice.Kind
        var new: [String] = []
        var known: [String] = []
    }

    /// Returns the notices that a user gets about the actions of `body`.
    private func told(
        _ user: SharedObjects, in notes: NoteBoard, by body: () async throws -> Void
    ) async throws -> [Told] {
        let before = try notes.fixture.head
        try await body()
        return try user.notices(after: before, through: notes.fixture.head).map {
            Told(kind: $0.kind, new: $0.newlyAccessible, known: $0.previouslyAccessible)
        }
    }

    private func grant(_ privileges: [String] = ["read"], to subject: Name, until: Instant? = nil) -> Change {
        .grant(subject, on: "note:letter", privileges, until: until)
    }

    // MARK: Made public, made private

    @Test("F9: If an object is made public, every signed-in user gets a notice, even with earlier read access")
    func madePublic() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("a"), id: "a", users: ["user:bob"])
            try await notes.ann.save(text("b"), id: "b")
            let publish = Transaction(
                "user:ann", ["a", "b"].map { .grant(.everyone, on: notes.ann.name(of: $0), SharedObjects.publicPrivileges) })
            let before = try notes.fixture.head
            try await notes.fixture.store.commit(publish)
            let after = try notes.fixture.head
            func told(_ user: SharedObjects) throws -> [SharedObjectNotice] { try user.notices(after: before, through: after) }
            #expect(try told(notes.bob).map(\.kind) == [.madePublic])
            #expect(try told(notes.bob).map(\.ids) == [["a", "b"]])
            #expect(try told(notes.bob).map(\.newlyAccessible) == [["b"]])
            #expect(try told(notes.bob).map(\.previouslyAccessible) == [["a"]])
            #expect(try told(notes.cleo).map(\.newlyAccessible) == [["a", "b"]])
            #expect(try told(notes.cleo).map(\.previouslyAccessible) == [[]])
            #expect(try told(notes.ann).map(\.previouslyAccessible) == [["a", "b"]])
            #expect(try told(notes.ann).map(\.revision) == [after])
            // A user who has never connected also gets notices.
            let stranger = try await notes.signedIn("user:stranger")
            #expect(try told(stranger).map(\.newlyAccessible) == [["a", "b"]])
        }
    }

    @Test("F9: An object that is public when it is created gives a notice that it was made public")
    func publicFromTheStart() async throws {
        try await withNotes { notes in
            let seen = try await told(notes.cleo, in: notes) {
                try await notes.ann.save(text("Hello"), id: "letter", isPublic: true)
            }
            #expect(seen == [Told(kind: .madePublic, new: ["letter"])])
        }
    }

    @Test("F10: Only users who keep access get the notice that an object was made private")
    func madePrivate() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", isPublic: true, users: ["user:bob"])
            let before = try notes.fixture.head
            try await notes.ann.setPublic("letter", false)
            let after = try notes.fixture.head
            for user in [notes.ann, notes.bob] {
                let seen = try user.notices(after: before, through: after)
                #expect(seen.map(\.kind) == [.madePrivate])
                #expect(seen.map(\.previouslyAccessible) == [["letter"]])
            }
            #expect(try notes.cleo.notices(after: before, through: after).map(\.kind) == [.madeInaccessible])
        }
    }

    // MARK: Shared, unshared

    @Test("F11: A user gets a notice of a newly shared object, whether or not it was public before")
    func shared() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter")
            try await notes.ann.save(text("Poster"), id: "poster", isPublic: true)
            let before = try notes.fixture.head
            let share = ["letter", "poster"].map {
                Change.grant("user:bob", on: notes.ann.name(of: $0), SharedObjects.specifiedUserPrivileges)
            }
            try await notes.fixture.store.commit(Transaction("user:ann", share))
            let seen = try notes.bob.notices(after: before, through: notes.fixture.head)
            #expect(seen.map(\.kind) == [.shared])
            #expect(seen.map(\.newlyAccessible) == [["letter"]])
            #expect(seen.map(\.previouslyAccessible) == [["poster"]])
            #expect(try notes.cleo.notices(after: before, through: notes.fixture.head).isEmpty)
        }
    }

    @Test("F11: An object shared with a role is shared with each member, including later ones")
    func sharedByRole() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter")
            try notes.fixture.commit(.createRole("role:family"), .addMember("user:bob", to: "role:family"))
            let byGrant = try await told(notes.bob, in: notes) { try await notes.ann.addUser("role:family", to: "letter") }
            #expect(byGrant == [Told(kind: .shared, new: ["letter"])])
            let byJoining = try await told(notes.cleo, in: notes) {
                try notes.fixture.commit(.addMember("user:cleo", to: "role:family"))
            }
            #expect(byJoining == [Told(kind: .shared, new: ["letter"])])
        }
    }

    @Test("F11: Saving an object with a specified user, or with the saver, shares it")
    func sharedBySaving() async throws {
        try await withNotes { notes in
            let before = try notes.fixture.head
            try await notes.ann.save(text("Hello"), id: "letter", users: ["user:bob"])
            for user in [notes.ann, notes.bob] {
                let seen = try user.notices(after: before, through: notes.fixture.head)
                #expect(seen.map(\.kind) == [.shared])
                #expect(seen.map(\.newlyAccessible) == [["letter"]])
            }
        }
    }

    @Test("F12: Only users who keep access get the notice that an object was unshared")
    func unshared() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Poster"), id: "poster", isPublic: true, users: ["user:bob"])
            try await notes.ann.save(text("Hello"), id: "letter", users: ["user:bob"])
            let before = try notes.fixture.head
            let unshare = ["letter", "poster"].map { Change.revoke("user:bob", on: notes.ann.name(of: $0)) }
            try await notes.fixture.store.commit(Transaction("user:ann", unshare))
            let seen = try notes.bob.notices(after: before, through: notes.fixture.head)
            #expect(seen.map(\.kind) == [.madeInaccessible, .unshared])
            #expect(seen.map(\.previouslyAccessible) == [["letter"], ["poster"]])
        }
    }

    @Test("F9, F12: A role that contains everyone makes its objects public, and gives no separate shared notice")
    func everyoneInARole() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter")
            try notes.fixture.commit(.createRole("role:family"), .addMember("user:bob", to: "role:family"))
            try await notes.ann.addUser("role:family", to: "letter")
            let before = try notes.fixture.head
            try notes.fixture.commit(.addMember(.everyone, to: "role:family"))
            let after = try notes.fixture.head
            #expect(try notes.bob.notices(after: before, through: after).map(\.kind) == [.madePublic, .unshared])
            #expect(try notes.cleo.notices(after: before, through: after).map(\.newlyAccessible) == [["letter"]])
            try notes.fixture.commit(.removeMember(.everyone, from: "role:family"))
            #expect(try notes.bob.notices(after: after, through: notes.fixture.head).map(\.kind) == [.madePrivate, .shared])
            #expect(try notes.cleo.notices(after: after, through: notes.fixture.head).map(\.kind) == [.madeInaccessible])
        }
    }

    // MARK: Made inaccessible, deleted

    /// The ways for Bob to lose a letter.
    enum Loss: CaseIterable {
        case unshared, madePrivate, roleLost, roleDeleted, roleAboveDeleted, expired, moved, classNarrowed, storeNarrowed
    }

    @Test("F13: Lost access gives the notice made inaccessible, for every cause", arguments: Loss.allCases)
    func madeInaccessible(loss: Loss) async throws {
        try await withNotes { notes in
            let fixture = notes.fixture
            try fixture.commit(.createRole("role:family"), .addMember("user:bob", to: "role:family"))
            try await notes.ann.save(text("Folder"), id: "folder", users: ["user:bob"])
            try await notes.ann.save(text("Hello"), id: "letter")
            var changes: [Change] = []
            switch loss {
            case .unshared:
                try fixture.commit(grant(to: "user:bob"), as: "user:ann")
                changes = [.revoke("user:bob", on: "note:letter")]
            case .madePrivate:
                try await notes.ann.setPublic("letter", true)
                changes = [.revoke(.everyone, on: "note:letter")]
            case .roleLost, .roleDeleted:
                try fixture.commit(grant(to: "role:family"), as: "user:ann")
                changes = [loss == .roleLost ? .removeMember("user:bob", from: "role:family") : .deleteRole("role:family")]
            case .roleAboveDeleted:
                // With this option, objects below a role have the access of the role.
                try fixture.commit(.changeClass("note", ClassSettings(inherits: .everything)))
                try fixture.commit(.moveObject("note:letter", parent: "role:family"))
                changes = [.deleteRole("role:family")]
            case .expired:
                try fixture.commit(grant(to: "user:bob", until: fixture.clock.now.later(seconds: 60)), as: "user:ann")
            case .moved:
                try fixture.commit(.changeClass("note", ClassSettings(inherits: .everything)))
                try fixture.commit(.moveObject("note:letter", parent: "note:folder"), as: "user:ann")
                changes = [.moveObject("note:letter", parent: nil)]
            case .classNarrowed, .storeNarrowed:
                try fixture.commit(grant(to: "user:bob"), as: "user:ann")
                let above: Name = loss == .classNarrowed ? .class("note") : .store
                changes = [.revoke(.everyone, on: above, ["read"])]
            }
            #expect(try fixture.may("user:bob", "read", "note:letter"))
            let seen = try await told(notes.bob, in: notes) {
                if loss == .expired {
                    fixture.clock.advance(seconds: 60)
                    try fixture.store.advance(to: fixture.clock.now)
                } else {
                    try await fixture.store.commit(Transaction("user:root", changes))
                }
            }
            #expect(try !fixture.may("user:bob", "read", "note:letter"))
            let lost = loss == .classNarrowed || loss == .storeNarrowed ? ["folder", "letter"] : ["letter"]
            #expect(seen == [Told(kind: .madeInaccessible, known: lost)])
        }
    }

    @Test("F13, E13: The store itself sends a notice when access expires, to every waiting subscriber")
    func expiredWhileWaiting() async throws {
        try await withStore(.open, expiryRecording: .byItself) { (fixture) async throws in
            try await SharedObjects.define(class: "note", in: fixture.store, as: "user:root")
            let bob = SharedObjects(in: fixture.store, class: "note")
            try await bob.setCurrentUser("user:bob")
            let end = fixture.clock.now.later(seconds: 60)
            try fixture.commit(.createObject("note:letter"), grant(["read"], to: "user:bob", until: end))
            var notices = try bob.notices().makeAsyncIterator()
            fixture.clock.now = end
            let notice = try await notices.next()
            #expect(notice?.kind == .madeInaccessible)
            #expect(notice?.ids == ["letter"])
            #expect(try fixture.store.time(of: fixture.head) == end)
        }
    }

    @Test("F13: For a deleted object and its descendants the notice says deleted instead")
    func deleted() async throws {
        try await withNotes { notes in
            try notes.fixture.commit(.changeClass("note", ClassSettings(inherits: .everything)))
            try await notes.ann.save(text("Folder"), id: "folder", users: ["user:bob"])
            try notes.fixture.commit(.createObject("note:letter", parent: "note:folder"), as: "user:ann")
            let before = try notes.fixture.head
            try notes.fixture.commit(.deleteObject("note:folder"), as: "user:ann")
            let seen = try notes.bob.notices(after: before, through: notes.fixture.head)
            #expect(seen.map(\.kind) == [.deleted])
            #expect(seen.map(\.previouslyAccessible) == [["folder", "letter"]])
            // A user without read access gets no notice.
            #expect(try notes.cleo.notices(after: before, through: notes.fixture.head).isEmpty)
        }
    }

    @Test("F13: A recreated object is a new one: the same revision has a deleted notice and a shared notice")
    func madeAgain() async throws {
        try await withNotes { notes in
            try await notes.ann.save(text("Hello"), id: "letter", users: ["user:bob"])
            let seen = try await told(notes.bob, in: notes) {
                try notes.fixture.commit(
                    .deleteObject("note:letter"), .createObject("note:letter"), grant(to: "user:bob"), as: "user:ann")
            }
            #expect(seen == [Told(kind: .deleted, known: ["letter"]), Told(kind: .shared, new: ["letter"])])
        }
    }

    // MARK: Delivery

    @Test("F9, F11: Notices are live, and a returning subscriber continues after the last handled revision")
    func asTheyHappen() async throws {
        try await withNotes { notes in
            let begin = try notes.fixture.head
            var live = try notes.bob.notices().makeAsyncIterator()
            try await notes.ann.save(text("a"), id: "a", isPublic: true, users: ["user:bob"])
            let first = [try await live.next(), try await live.next()]
            #expect(first.map { $0?.kind } == [.madePublic, .shared])
            #expect(first.map { $0?.completesRevision } == [false, true])
            try await notes.ann.save(text("b"), id: "b", users: ["user:bob"])
            #expect(try await live.next()?.ids == ["b"])
            // Another subscriber starts after the handled notices, and gets the same later notices.
            var resumed = try notes.bob.notices(after: first[1]?.revision).makeAsyncIterator()
            #expect(try await resumed.next()?.ids == ["b"])
            var again = try notes.bob.notices(after: begin).makeAsyncIterator()
            #expect(try await again.next() == first[0])
        }
    }

    @Test("F9, F11, F13: Notices are only about objects of the class; without a current user they are refused")
    func onlyTheirs() async throws {
        try await withNotes { notes in
            let before = try notes.fixture.head
            try notes.fixture.commit(
                .defineClass("other"), .grant(.everyone, on: .class("other"), ["read"]), .createObject("other:1"),
                .grant("user:bob", on: "other:1", ["read"]))
            #expect(try notes.fixture.store.notices(for: "user:bob", after: before, through: notes.fixture.head).count == 1)
            #expect(try notes.bob.notices(after: before, through: notes.fixture.head).isEmpty)
            try await notes.bob.setCurrentUser(nil)
            #expect(try await refusalCode { _ = try notes.bob.notices() } == .notAuthenticated)
            #expect(
                try await refusalCode { _ = try notes.bob.notices(after: before, through: before) } == .notAuthenticated)
        }
    }
}
