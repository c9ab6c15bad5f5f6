import Events
import Permissions
import TestSupport
import Testing

/// Checks the parts of the naive model that `model.py` does not have: how it reads events, on logs of a few lines.
@Suite("The naive model reads the log")
struct NaiveModelTests {
    private let root = PrincipalID(rawValue: 16)
    private let ann = PrincipalID(rawValue: 17)
    private let doc = ClassID(rawValue: 18)
    private let role = PrincipalID(rawValue: 19)
    private let one = ObjectID(rawValue: 20)

    /// An open store with a class `doc` that inherits, the user `ann`, the role `r`, and `doc:1` with the role's object as its parent.
    private func model(_ commits: [Event]...) throws -> NaiveModel {
        var events: [[Event]] = [
            [
                .storeCreated(.open),
                .principalRegistered(Introduction(root, name: "user:root")),
                .administratorAppointed(root),
                .accessGranted(AccessGranted(object: .store, subject: .everyone, privileges: .all, cause: .preset)),
            ],
            [
                .principalRegistered(Introduction(ann, name: "user:ann")),
                .classDefined(
                    ClassDefined(
                        classID: Introduction(doc, name: "class:doc"),
                        options: ClassOptions(inherits: .all, privileges: .custom(0)),
                        newPrivileges: ["approve"])),
                .accessGranted(AccessGranted(object: ObjectID(doc), subject: .everyone, privileges: .all, cause: .preset)),
                .roleCreated(Introduction(role, name: "role:r")),
                .objectCreated(
                    ObjectCreated(
                        object: Introduction(one, name: "doc:1"), classID: doc, parent: ObjectID(role), owner: ann)),
            ],
        ]
        events += commits
        return try NaiveModel(
            events.enumerated().map { index, events in
                Commit(revision: Revision(UInt64(index)), time: time(index), actor: .system, events: events)
            })
    }

    private func time(_ seconds: Int) -> Instant { Instant(microseconds: Int64(seconds) * 1_000_000) }

    private func privileges(_ model: NaiveModel, _ subject: Name, _ object: Name, _ point: Point) -> [String] {
        model.view(point, now: time(99)).privileges(of: subject, on: object)
    }

    @Test("A deleted parent gives no access, and neither does a later object with its name")
    func deletedParent() throws {
        let model = try model(
            [.roleDeleted(role)], [.roleCreated(Introduction(role))])
        #expect(privileges(model, "user:ann", "doc:1", .revision(Revision(1))).contains("approve"))
        #expect(privileges(model, "user:ann", "doc:1", .revision(Revision(2))) == [])
        #expect(privileges(model, "user:ann", "doc:1", .revision(Revision(3))) == [])
    }

    @Test("Removing listed privileges from a wildcard entry leaves the privileges that the class has then")
    func revokingFromEverything() throws {
        let model = try model(
            [
                .accessRevoked(
                    AccessLoss(object: ObjectID(doc), subject: .everyone, privileges: Privileges.builtIn.subtracting(.read)))
            ],
            [
                .classChanged(
                    ClassChanged(
                        classID: doc, options: ClassOptions(inherits: .all, privileges: [.custom(0), .custom(1)]),
                        newPrivileges: ["triage"]))
            ])
        #expect(privileges(model, "user:ann", "doc:1", .revision(Revision(2))) == ["approve", "read"])
        #expect(privileges(model, "user:ann", "doc:1", .head) == ["approve", "read"])
    }

    @Test("E13: access ends at its time in every answer, even before the log records it")
    func endOfAccess() throws {
        let grant = AccessGranted(object: one, subject: ann, privileges: .read, until: time(10))
        let model = try model([.objectMoved(ObjectMoved(object: one, parent: nil)), .accessGranted(grant)])
        for (seconds, isAllowed) in [(1, true), (2, true), (9, true), (10, false), (11, false)] {
            #expect(model.view(.moment(time(seconds)), now: time(99)).check("user:ann", ["read"], on: "doc:1") == isAllowed)
        }
        #expect(model.view(.revision(Revision(2)), now: time(99)).entries(on: "doc:1").map(\.until) == [time(10)])
        #expect(model.view(.head, now: time(10)).entries(on: "doc:1") == [])
    }

    @Test("An object recreated under its name has the same number, and nothing else of the old object")
    func madeAgain() throws {
        let model = try model(
            [.accessGranted(AccessGranted(object: one, subject: ann, privileges: .read, cause: .permanentCreator))],
            [.objectDeleted(one)],
            [.objectCreated(ObjectCreated(object: Introduction(one), classID: doc, parent: nil, owner: ann))])
        let row = EntryRow(subject: "user:ann", privileges: ["read"], isPermanent: true)
        #expect(model.view(.revision(Revision(2)), now: time(99)).entries(on: "doc:1") == [row])
        #expect(
            model.view(.revision(Revision(3)), now: time(99)).answer(.value(of: "doc:1", as: "user:root"))
                == .refused(.unknownObject))
        #expect(model.view(.head, now: time(99)).entries(on: "doc:1") == [])
        #expect(model.view(.head, now: time(99)).answer(.value(of: "doc:1", as: "user:root")) == .value(.null))
    }

    @Test("An inconsistent log is refused")
    func contradictions() throws {
        let impossible: [[Event]] = [
            [],
            [.roleCreated(Introduction(PrincipalID(rawValue: 99)))],
            [.roleCreated(Introduction(ann, name: "role:x"))],
            [.roleCreated(Introduction(PrincipalID(rawValue: 99), name: "user:ann"))],
            [.roleDeleted(ann)],
            [.objectMoved(ObjectMoved(object: ObjectID(ann), parent: nil))],
            [.objectWritten(ObjectWritten(object: one, value: [0x7B]))],
        ]
        for events in impossible { #expect(throws: Contradiction.self) { try model(events) } }
        var twoCommits = try model()
        #expect(throws: Contradiction.self) {
            try twoCommits.append(Commit(revision: Revision(3), time: time(9), actor: root, events: []))
        }
        #expect(twoCommits.head == Revision(1))
    }
}
