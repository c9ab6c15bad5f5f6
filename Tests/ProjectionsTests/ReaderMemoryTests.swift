import Events
import Permissions
import TestSupport
import Testing

@testable import Projections

@Suite("A reader that is used repeatedly gives the same answers as a new one")
struct ReaderMemoryTests {
    @Test("E5: a reader's cache is never stale after commits, or after queries at other revisions", arguments: UInt64(0)..<6)
    func neverStale(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 3_000_000 &+ number
        let log = try randomLog(seed: seed, steps: 90)
        var random = SplitMix64(seed: seed)
        try withTemporaryFolder { folder in
            let bench = try IndexBench(in: folder, folding: Array(log.prefix(1)), inBatchesOf: 1)
            defer { bench.close() }
            let pooled = try bench.index.beginReading()
            defer { pooled.end() }
            for commit in log.dropFirst() {
                pooled.rest()
                try bench.fold(commit)
                // Sometimes several commits reach the index together.
                let isFlushed = commit.revision == log.last?.revision || !random.chance(percent: 20)
                if isFlushed { try bench.flush() }
                try pooled.renew()
                guard isFlushed else { continue }
                let fresh = try bench.index.beginReading()
                defer { fresh.end() }
                let past = (0..<2).map { _ in Revision(UInt64(random.number(0...Int(bench.head.rawValue)))) }
                for revision in [bench.head] + past + [bench.head] {
                    try compare(pooled, fresh, at: revision, using: &random, "seed \(seed), head \(bench.head)")
                }
            }
        }
    }

    private func compare(
        _ pooled: IndexReader, _ fresh: IndexReader, at revision: Revision, using random: inout SplitMix64, _ place: String
    ) throws {
        pooled.move(to: revision)
        fresh.move(to: revision)
        for _ in 0..<12 {
            let caller = PrincipalID(rawValue: UInt64(random.number(0...Int(fresh.state.nextID))))
            let object = ObjectID(rawValue: UInt64(random.number(0...Int(fresh.state.nextID))))
            let (known, expected) = (try pooled.subjects(of: caller), try fresh.subjects(of: caller))
            #expect(known.members == expected.members, "\(place)")
            #expect(known.isAdministrator == expected.isAdministrator, "\(place)")
            let verdict = try AccessRules(pooled, at: .newYear).verdict(for: known, on: object)
            let expectedVerdict = try AccessRules(fresh, at: .newYear).verdict(for: expected, on: object)
            #expect(verdict == expectedVerdict, "\(place), \(caller) on \(object) at \(revision)")
            #expect(try pooled.options(of: ClassID(object)) == fresh.options(of: ClassID(object)), "\(place)")
        }
    }

    private static let (ann, role) = (PrincipalID(rawValue: 17), PrincipalID(rawValue: 18))
    private static let (doc, one) = (ClassID(rawValue: 19), ObjectID(rawValue: 20))
    private static let permission = PermissionID(rawValue: 21)

    /// Changes of access at the levels above objects, one per commit, and whether `ann` may read `one` afterwards.
    private static let steps: [(event: Event, may: Bool)] = [
        (.memberAdded(RoleMember(role: role, member: ann)), true),
        (.memberRemoved(RoleMember(role: role, member: ann)), false),
        (.memberAdded(RoleMember(role: role, member: .everyone)), true),
        (.revoked(.all, on: ObjectID(doc), from: .everyone), false),
        (.granted(.read, on: ObjectID(doc), to: role), true),
        (.revoked(.all, on: .store, from: .everyone), false),
        (
            .permissionDefined(
                PermissionDefined(permission: Introduction(permission, name: "permission:p"), subject: ann, privileges: .read)),
            false
        ),
        (.permissionAttached(PermissionAttachment(permission: permission, object: .store)), true),
        (.permissionChanged(PermissionChanged(permission: permission, subject: ann, privileges: .query)), false),
        (.permissionChanged(PermissionChanged(permission: permission, subject: .anonymous, privileges: .read)), true),
        (.permissionDetached(PermissionAttachment(permission: permission, object: .store)), false),
        (.administratorAppointed(ann), true),
        (.administratorDismissed(ann), false),
        (.granted(.read, on: .store, to: .anonymous), true),
        (.memberRemoved(RoleMember(role: role, member: .everyone)), false),
        (.classChanged(ClassChanged(classID: doc, options: ClassOptions(objectACL: .none))), false),
        (.granted(.read, on: ObjectID(doc), to: ann), true),
        (.classChanged(ClassChanged(classID: doc, options: ClassOptions())), false),
        (.granted(.read, on: one, to: ann), true),
        (.roleDeleted(role), true),
        (.objectDeleted(one), false),
    ]

    @Test("E5: each change of members, administrators, classes and permissions is visible to the next query")
    func everyKindOfChange() throws {
        let (ann, role, doc, one) = (Self.ann, Self.role, Self.doc, Self.one)
        try withTemporaryFolder { (folder) throws in
            let bench = try IndexBench(in: folder)
            defer { bench.close() }
            try bench.commit([
                .granted(.all, on: .store, to: .everyone), .user(ann), .role(role), .docClass(doc),
                .granted(.all, on: ObjectID(doc), to: .everyone), .object(one, in: doc), .granted(.read, on: one, to: role),
            ])
            let reader = try bench.index.beginReading()
            defer { reader.end() }
            func may() throws -> Bool {
                let subjects = try reader.subjects(of: ann)
                return try AccessRules(reader, at: .newYear).verdict(for: subjects, on: one, wanted: .read).allows(.read)
            }
            let expected = [false] + Self.steps.map(\.may)
            for (index, step) in Self.steps.enumerated() {
                let head = index + 1
                reader.rest()
                try bench.commit([step.event])
                try reader.renew()
                #expect(try may() == step.may, "revision \(head), \(step.event)")
                for past in stride(from: head, through: 0, by: -3) {
                    reader.move(to: Revision(UInt64(past)))
                    #expect(try may() == expected[past], "revision \(past), asked when \(head) was the head")
                }
                reader.move(to: Revision(UInt64(head)))
                #expect(try may() == step.may, "revision \(head) again")
            }
        }
    }
}
