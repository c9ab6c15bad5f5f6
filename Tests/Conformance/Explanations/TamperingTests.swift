import Events
import Muniment
import Permissions
import StoreSupport
import TestSupport
import Testing

/// One change in a witness.
struct Tampering: Sendable {
    let what: String
    let change: @Sendable (inout Witness) -> Void

    init(_ what: String, _ change: @escaping @Sendable (inout Witness) -> Void) {
        self.what = what
        self.change = change
    }

    /// Changes the citation of one fact, on the only path of the object part.
    static func citation(_ what: String, of fact: Int = 0, _ change: @escaping @Sendable (inout Citation) -> Void) -> Tampering {
        Tampering("\(what) of fact \(fact)") { change(&$0.target!.objectPart[0].facts[fact].citation) }
    }

    static func fact(_ what: String, _ place: Int, _ fact: @escaping @Sendable (Fact) -> Fact) -> Tampering {
        Tampering(what) { $0.target!.objectPart[0].facts[place].fact = fact($0.target!.objectPart[0].facts[place].fact) }
    }
}

@Suite("Witnesses: the checker, which reads only the log, accepts correct ones and rejects them after any change")
struct TamperingTests {
    /// Fact 0: the membership; 1: the entry on the folder; 2: the folder exists; 3: the document is in it; 4: the class's options.
    private func withWitness(_ body: (Witness, Witness, WitnessChecker) throws -> Void) throws {
        try withStore(.open) { fixture in
            try fixture.commit(.defineClass("box"), .defineClass("doc", ClassSettings(inherits: .only(["read", "query"]))))
            try fixture.commit(.register("user:ann"), .register("user:ben"), .createRole("role:team"), .createRole("role:other"))
            fixture.clock.advance(seconds: 10)
            try fixture.commit(.addMember("user:ann", to: "role:team"), .addMember("user:ben", to: "role:team"))
            try fixture.commit(.addMember("user:ann", to: "role:other"))
            try fixture.commit(.createObject("box:1"), .createObject("box:2"))
            try fixture.commit(.createObject("doc:1", parent: "box:1"), .createObject("doc:2", parent: "box:2"))
            let end = Instant.newYear.later(seconds: 1000)
            try fixture.commit(.grant("role:team", on: "box:1", ["read", "update"], until: end), origin: Origin(requestID: "t1"))
            try fixture.commit(.grant("role:team", on: "box:2", ["read", "update"], until: end))
            try fixture.commit(.grant("role:other", on: "box:1", ["delete"]))
            try fixture.commit(.revoke("role:other", on: "box:1"))
            try fixture.commit(.revoke(.everyone, on: .class("doc"), ["delete"]))
            let allowed = try fixture.witness("user:ann", "read", on: "doc:1")
            let denied = try fixture.witness("user:ann", "read", "delete", on: "doc:1")
            // One path at each level, with facts that a test can forge one by one.
            for level in DecidingLevel.allCases {
                try #require(allowed.paths(at: level).count == 1 && !denied.paths(at: level).isEmpty)
            }
            try #require(allowed.paths(at: .object)[0].facts.count == 5)
            try body(allowed, denied, WitnessChecker(fixture.commits()))
        }
    }

    @Test("E11: Witnesses of the store are accepted")
    func untouched() throws {
        try withWitness { allowed, denied, checker in
            #expect(allowed.isAllowed)
            #expect(checker.faults(in: allowed) == [])
            #expect(allowed.paths(at: .object).map(\.facts.count) == [5])
            #expect(!denied.isAllowed)
            #expect(checker.faults(in: denied) == [])
            #expect(denied.missing == [.class: .delete, .object: .delete])
        }
    }

    static let ofAllowed: [Tampering] = [
        Tampering("the subject") { $0.subject = "user:ben" },
        Tampering("the caller") { $0.caller = .everyone },
        Tampering("the object") { $0.object = "doc:2" },
        Tampering("the privilege") { $0.privileges = ["update"] },
        Tampering("the privilege and its number") { ($0.privileges, $0.wanted) = (["update"], [.update]) },
        Tampering("the number of the privilege") { $0.wanted = [.query] },
        Tampering("the names of privileges") { $0.privilegeNames = PrivilegeNames(custom: ["read"]) },
        Tampering("a name") { $0.names[ObjectID.store.rawValue] = "shop" },
        Tampering("the revision, to one before") { $0.revision = Revision(6) },
        Tampering("the revision, to one that is not there") { $0.revision = Revision(99) },
        Tampering("the instant, to the end of the entry") { $0.instant = .newYear.later(seconds: 1000) },
        Tampering("the answer") { $0.outcomes[0].isAllowed = false },
        Tampering("the level that decided") { $0.outcomes[0].decider = .class },
        Tampering("a level that is said to fail") { $0.outcomes[0].failing = [.object] },
        Tampering("what is said to be missing") { $0.missing = [.object: .read] },
        Tampering("the store level left out") { $0.storeLevel = [] },
        Tampering("the class level left out") { $0.target!.classLevel = [] },
        Tampering("the object part left out") { $0.target!.objectPart = [] },
        Tampering("the class level at the place of the object part") { $0.target!.objectPart = $0.target!.classLevel },
        Tampering("the store level at the place of the class level") { $0.target!.classLevel = $0.storeLevel },
        Tampering("another object") { $0.target!.object = ObjectID($0.caller!) },
        Tampering("the existence of another object") { $0.target!.existence = $0.target!.objectPart[0].facts[2] },
        Tampering("no target") { $0.target = nil },
        Tampering("an appointment") {
            $0.appointment = WitnessedFact(.administrator($0.caller!), $0.storeLevel[0].facts[0].citation)
        },
        Tampering("the options of the class") { witness in
            guard case .options(let classID, var options) = witness.target!.options.fact else { return }
            options.composition = .widening
            witness.target!.options.fact = .options(classID, options)
        },
        Tampering("what a path gives") { $0.target!.objectPart[0].privileges = [.read, .delete] },
        Tampering("whom a path begins with") { $0.target!.objectPart[0].beginning = .everyone },
        Tampering("nobody to begin with") { $0.target!.objectPart[0].beginning = nil },
        Tampering("whether it can be taken away") { $0.target!.objectPart[0].isPermanent = true },
        Tampering("the membership left out") { $0.target!.objectPart[0].facts.removeFirst() },
        Tampering("the entry left out") { $0.target!.objectPart[0].facts.remove(at: 1) },
        Tampering("the place left out") { $0.target!.objectPart[0].facts.remove(at: 3) },
        Tampering("the mask left out") { $0.target!.objectPart[0].facts.removeLast() },
        Tampering("a fact twice") { $0.target!.objectPart[0].facts.insert($0.target!.objectPart[0].facts[0], at: 0) },
        .citation("the revision", of: 0) { $0.revision = Revision($0.revision.rawValue + 1) },
        .citation("the revision", of: 1) { $0.revision = Revision($0.revision.rawValue + 1) },
        .citation("the revision", of: 3) { $0.revision = Revision($0.revision.rawValue - 1) },
        .citation("a revision that is not there", of: 1) { $0.revision = Revision(77) },
        .citation("the index", of: 0) { $0.index = 1 }, .citation("the index", of: 1) { $0.index = 5 },
        .citation("the kind", of: 1) { $0.kind = .accessRevoked },
        .citation("the actor", of: 1) { $0.actor = .system },
        .citation("the time", of: 1) { $0.time = .newYear },
        .citation("the origin", of: 1) { $0.origin = Origin(requestID: "t2") },
        .fact("the member", 0) { fact in
            if case .member(let member, let role) = fact {
                .member(PrincipalID(rawValue: member.rawValue + 1), of: role)
            } else {
                fact
            }
        },
        .fact("the role", 0) { fact in
            if case .member(let member, let role) = fact {
                .member(member, of: PrincipalID(rawValue: role.rawValue + 1))
            } else {
                fact
            }
        },
        .fact("the subject of the entry", 1) { fact in
            guard case .entry(let subject, let object, let privileges, let until) = fact else { return fact }
            return .entry(PrincipalID(rawValue: subject.rawValue + 1), on: object, privileges, until: until)
        },
        .fact("the object of the entry", 1) { fact in
            guard case .entry(let subject, let object, let privileges, let until) = fact else { return fact }
            return .entry(subject, on: ObjectID(rawValue: object.rawValue + 1), privileges, until: until)
        },
        .fact("the privileges of the entry", 1) { fact in
            guard case .entry(let subject, let object, _, let until) = fact else { return fact }
            return .entry(subject, on: object, .delete, until: until)
        },
        .fact("the end of the entry", 1) { fact in
            guard case .entry(let subject, let object, let privileges, _) = fact else { return fact }
            return .entry(subject, on: object, privileges, until: .forever)
        },
        .fact("the class of the folder", 2) { fact in
            if case .object(let object, let classID) = fact {
                .object(object, ClassID(rawValue: classID.rawValue + 1))
            } else {
                fact
            }
        },
        .fact("the folder", 3) { fact in
            if case .child(let child, let parent) = fact {
                .child(child, of: ObjectID(rawValue: parent.rawValue + 1))
            } else {
                fact
            }
        },
        .fact("the mask", 4) { fact in
            guard case .options(let classID, var options) = fact else { return fact }
            options.inherits = .all
            return .options(classID, options)
        },
    ]

    @Test("E11: A witness of access is rejected after a change of any part")
    func tampered() throws {
        try withWitness { allowed, _, checker in
            for tampering in TamperingTests.ofAllowed { expect(tampering, of: allowed, isSeenBy: checker) }
        }
    }

    private func expect(_ tampering: Tampering, of witness: Witness, isSeenBy checker: WitnessChecker) {
        var changed = witness
        tampering.change(&changed)
        #expect(changed != witness, "\(tampering.what) is not another one")
        #expect(!checker.isSound(changed), "\(tampering.what) was changed, and that was not seen")
    }

    static let ofDenied: [Tampering] = [
        Tampering("the answer") { $0.outcomes[1].isAllowed = true },
        Tampering("the answer and its reason") {
            $0.outcomes[1] = PrivilegeResult(privilege: "delete", isAllowed: true, decider: .object)
        },
        Tampering("a failing level left out") { $0.outcomes[1].failing = [.class] },
        Tampering("the deciding level") { $0.outcomes[1].decider = .object },
        Tampering("another reason") {
            $0.outcomes[1] = PrivilegeResult(privilege: "delete", isAllowed: false, decider: .unknownToClass)
        },
        Tampering("no such object") { for index in 0...1 { $0.outcomes[index].decider = .unknownObject } },
        Tampering("no such subject") { for index in 0...1 { $0.outcomes[index].decider = .unknownSubject } },
        Tampering("nothing missing") { $0.missing = [:] },
        Tampering("more missing") { $0.missing[.store] = .delete },
        Tampering("a path to the missing") { $0.target!.classLevel[0].privileges.formUnion(.delete) },
        Tampering("a revoked entry as a path") { witness in
            var path = witness.target!.objectPart[0]
            let (role, object) = (PrincipalID(rawValue: 21), ObjectID(rawValue: 22))
            path.facts[1].fact = .entry(role, on: object, .delete, until: .forever)
            path.privileges = .delete
            witness.target!.objectPart.append(path)
        },
        Tampering("the earlier revision") { $0.revision = Revision($0.revision.rawValue - 1) },
    ]

    @Test("E11: A witness of a denial is rejected after a change of any part")
    func tamperedDenial() throws {
        try withWitness { _, denied, checker in
            for tampering in TamperingTests.ofDenied { expect(tampering, of: denied, isSeenBy: checker) }
        }
    }
}
