import Events
import Permissions
import TestSupport
import Testing

@testable import Projections

@Suite("Long access lists and large roles")
struct LargeListTests {
    private let doc = ClassID(rawValue: 17)
    private let one = ObjectID(rawValue: 18)
    private let role = PrincipalID(rawValue: 19)
    private let subjects = (UInt64(100)..<300).map { PrincipalID(rawValue: $0) }

    /// Each subject's access to the object, computed directly from the events.
    private typealias Plain = [PrincipalID: AccessEntry]

    /// Returns a random change. With few entries it usually adds one, and with many it usually removes one. So the number stays near
    /// the limit between entries in the object's document and entries in separate rows.
    private func change(_ plain: inout Plain, using random: inout SplitMix64) -> Event {
        let isFew = plain.count < random.number(62...76)
        let subject = isFew ? random.one(of: subjects) : random.one(of: plain.keys.sorted())
        let privileges = Privileges(rawValue: UInt32(random.number(1...255)))
        var entry = plain[subject] ?? AccessEntry(subject: subject)
        defer { plain[subject] = entry.isEmpty ? nil : entry }
        if isFew {
            let until = random.chance(percent: 30) ? Instant.newYear.later(seconds: Int64(random.number(1...9))) : .forever
            entry.grant(privileges, until: until)
            return .granted(privileges, on: one, to: subject, until: until)
        }
        let revoked = random.chance(percent: 60) ? Privileges.all : privileges
        entry.revoke(revoked, known: .builtIn)
        return .revoked(revoked, on: one, from: subject)
    }

    @Test("Entries in separate rows mean the same as those in the document, on both sides of the limit", arguments: UInt64(0)..<4)
    func edge(number: UInt64) throws {
        var random = SplitMix64(seed: TestSettings.firstSeed &+ 4_000_000 &+ number)
        try withTemporaryFolder { folder in
            let bench = try IndexBench(in: folder)
            defer { bench.close() }
            try bench.commit([.docClass(doc), .object(one, in: doc)] + subjects.map { .user($0) })
            var states: [Plain] = [[:]]
            while states.count < 60 {
                var plain = states[states.count - 1]
                // The first commits fill the list.
                let count = plain.count < 55 ? 30 : random.number(1...4)
                try bench.commit((0..<count).map { _ in change(&plain, using: &random) })
                states.append(plain)
            }
            #expect(states.contains { $0.count > ObjectDocument.inlineEntries })
            let reader = try bench.index.beginReading()
            defer { reader.end() }
            for _ in 0..<60 {
                let revision = random.number(0...states.count - 1)
                reader.move(to: Revision(UInt64(revision)))
                try compare(reader, states[revision], at: .newYear.later(seconds: Int64(random.number(0...10))))
            }
        }
    }

    private func compare(_ reader: IndexReader, _ plain: Plain, at instant: Instant) throws {
        let rows = try reader.entries(on: one, at: instant)
        #expect(Set(rows).count == rows.count)
        for subject in subjects {
            let expected = plain[subject]?.live(at: instant) ?? []
            let level = try reader.level(.object, on: one, for: reader.subjects(of: subject), at: instant, wanted: .all)
            #expect(level == expected)
            let listed = rows.filter { $0.subject == subject }.reduce(into: Privileges()) { $0.formUnion($1.privileges) }
            #expect(listed == expected)
        }
        let document = try #require(try reader.objectDocument(one))
        #expect(
            try reader.allEntries(of: document, one).sorted { $0.subject < $1.subject }
                == plain.values.sorted { $0.subject < $1.subject })
    }

    @Test("A role of a thousand members contains all of them, and loses one at a time")
    func largeRole() throws {
        let members = (UInt64(100)..<1100).map { PrincipalID(rawValue: $0) }
        try withTemporaryFolder { (folder) throws in
            let bench = try IndexBench(in: folder)
            defer { bench.close() }
            try bench.commit(
                [
                    .granted(.all, on: .store, to: .everyone), .docClass(doc), .granted(.all, on: ObjectID(doc), to: .everyone),
                    .object(one, in: doc), .role(role), .granted(.read, on: one, to: role),
                ] + members.map { .user($0) })
            try bench.commit(members.map { .memberAdded(RoleMember(role: role, member: $0)) })
            for member in members.prefix(20) { try bench.commit([.memberRemoved(RoleMember(role: role, member: member))]) }
            let reader = try bench.index.beginReading()
            defer { reader.end() }
            for revision in [21, 1, 11, 0, 21] {
                reader.move(to: Revision(UInt64(revision)))
                let expected = revision == 0 ? [] : Array(members.dropFirst(revision - 1))
                #expect(try reader.members(of: role) == expected)
                guard case .some(let holders) = try reader.holders(of: .read, on: one, at: .newYear) else {
                    Issue.record("not everyone has it")
                    return
                }
                #expect(holders.sorted() == expected)
            }
            try bench.commit([.roleDeleted(role)])
            reader.rest()
            try reader.renew()
            #expect(try reader.members(of: role).isEmpty)
            #expect(try reader.subjects(of: members[500]).members == [.everyone, .anonymous, members[500]])
        }
    }
}
