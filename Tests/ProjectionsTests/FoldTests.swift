import Events
import LMDB
import Permissions
import TestSupport
import Testing

@testable import Projections

@Suite("Folding the log")
struct FoldTests {
    @Test("E4: the same log gives the same rows, byte for byte, for any batches of the fold", arguments: UInt64(0)..<8)
    func batches(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 1_000_000 &+ number
        let log = try randomLog(seed: seed, steps: 120)
        try withTemporaryFolder { folder in
            let whole = try IndexBench(in: folder, folding: log, inBatchesOf: log.count)
            defer { whole.close() }
            for size in [1, 2, 7, 31] {
                try withTemporaryFolder { folder in
                    let bench = try IndexBench(in: folder, folding: log, inBatchesOf: size)
                    defer { bench.close() }
                    let difference = try bench.index.firstDifference(from: whole.index)
                    #expect(difference == nil, "seed \(seed), batches of \(size)")
                }
            }
        }
    }

    @Test("E4: a change that is decided and rolled back leaves no trace in the index", arguments: UInt64(0)..<4)
    func rollBack(number: UInt64) throws {
        let seed = TestSettings.firstSeed &+ 2_000_000 &+ number
        let log = try randomLog(seed: seed, steps: 80)
        try withTemporaryFolder { folder in
            let whole = try IndexBench(in: folder, folding: log, inBatchesOf: log.count)
            defer { whole.close() }
            try withTemporaryFolder { folder in
                let bench = try IndexBench(in: folder)
                defer { bench.close() }
                for (number, commit) in log.enumerated() {
                    // The changes of the commit are rolled back, completely and in part, before they are made permanently.
                    try bench.foldInVain(commit.events)
                    try bench.foldInVain(Array(commit.events.prefix(number % 3)))
                    try bench.fold(commit)
                    if number % 5 == 0 { try bench.flush() }
                }
                try bench.flush()
                let difference = try bench.index.firstDifference(from: whole.index)
                #expect(difference == nil, "seed \(seed)")
            }
        }
    }

    @Test("An event about a missing entity is an error")
    func impossibleEvents() throws {
        try withTemporaryFolder { folder in
            let bench = try IndexBench(in: folder)
            defer { bench.close() }
            try bench.commit([.user(PrincipalID(rawValue: 16))])
            let absent = ObjectID(rawValue: 99)
            let events: [Event] = [
                .granted(.read, on: absent, to: .everyone), .objectDeleted(absent),
                .objectMoved(ObjectMoved(object: absent, parent: nil)), .roleDeleted(PrincipalID(absent)),
            ]
            for event in events { #expect(throws: FoldingError.self) { try bench.foldInVain([event]) } }
        }
    }

    @Test("A lost version does not restore the previous one")
    func lostVersion() throws {
        let (doc, one, ann) = (ClassID(rawValue: 17), ObjectID(rawValue: 18), PrincipalID(rawValue: 16))
        try withTemporaryFolder { (folder) throws in
            let bench = try IndexBench(in: folder)
            try bench.commit([.user(ann), .docClass(doc), .object(one, in: doc)])
            try bench.commit([.granted([.read, .update], on: one, to: ann)])
            try bench.commit([.revoked(.update, on: one, from: ann)])
            #expect(try level(bench.index, one, ann) == .read)
            bench.close()
            try deleteDocument(in: folder, DocumentID(kind: .object, id: one.rawValue).key(Revision(2)))
            let index = try Index(path: folder, isReadOnly: true)
            defer { index.close() }
            #expect(try level(index, one, ann) == [])
            #expect(try level(index, one, ann, at: Revision(1)) == [.read, .update])
        }
    }

    private func level(
        _ index: Index, _ object: ObjectID, _ subject: PrincipalID, at revision: Revision? = nil
    ) throws -> Privileges {
        let reader = try index.beginReading()
        defer { reader.end() }
        if let revision { reader.move(to: revision) }
        return try reader.level(.object, on: object, for: reader.subjects(of: subject), at: .newYear, wanted: .all)
    }

    private func deleteDocument(in folder: String, _ key: FixedKey) throws {
        let environment = try Environment(
            path: folder, options: EnvironmentOptions(syncsCommits: false, tableLimit: IndexTables.names.count))
        defer { environment.close() }
        let table = try environment.table("documents", creating: false)
        let bytes = key.withBytes { span in span.indices.map { span[$0] } }
        let transaction = try environment.beginWriting()
        try transaction.delete(from: table, key: bytes.span)
        try transaction.commit()
    }
}
