import Events
import LMDB
import TestSupport
import Testing

@testable import Projections

@Suite("The order of keys")
struct KeyOrderTests {
    private func bytes(_ key: FixedKey) -> [UInt8] { key.withBytes { span in span.indices.map { span[$0] } } }

    /// Numbers at the limits of the key range, and some in between.
    private let numbers: [UInt64] = [0, 1, 2, 255, 256, 65_535, 1 << 20, 1 << 32, (1 << 40) - 2]

    @Test("Later versions of a document come first, with no other document between them")
    func documents() {
        var keys: [[UInt8]] = []
        for kind in [DocumentKind.object, .memberships, .classOptions, .permission, .value] {
            for id in numbers {
                for revision in numbers.reversed() {
                    let key = DocumentID(kind: kind, id: id).key(Revision(revision))
                    #expect(key.begin == Revision(revision))
                    #expect(DocumentID(kind: kind, id: id).matches(key))
                    #expect(!DocumentID(kind: kind, id: id ^ 1).matches(key))
                    keys.append(bytes(key))
                }
            }
        }
        #expect(keys.allSatisfy { $0.count == 11 })
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
    }

    @Test("Relations are ordered by kind, then by the first entity, then by the second, with the later version first")
    func relations() {
        var keys: [[UInt8]] = []
        for kind in [RelationKind.member, .child, .link] {
            for first in numbers {
                for second in numbers {
                    for revision in numbers.reversed() {
                        let prefix = RelationPrefix(kind: kind, first: first)
                        let key = prefix.key(second, Revision(revision))
                        #expect(key.second == second && key.begin == Revision(revision) && prefix.matches(key))
                        keys.append(bytes(key))
                    }
                }
            }
        }
        #expect(keys.allSatisfy { $0.count == 16 })
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    }

    private let instants: [Instant] = [.distantPast, .init(microseconds: -1), .init(microseconds: 0), .newYear, .forever]

    @Test("Times are in order, also those before 1970, and equal times are in the order of revisions")
    func times() {
        let keys = instants.flatMap { instant in numbers.map { bytes(IndexTables.timeKey(instant, Revision($0))) } }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
    }

    @Test("Expiries are ordered by time, and each key identifies the expired access")
    func expiries() throws {
        var expiries: [Expiry] = []
        for until in instants {
            for object in numbers {
                for subject in numbers {
                    let (object, subject) = (ObjectID(rawValue: object), PrincipalID(rawValue: subject))
                    expiries.append(Expiry(until: until, object: object, subject: subject))
                }
            }
        }
        for expiry in expiries { #expect(try Expiry(key: expiry.key.span) == expiry) }
        var random = SplitMix64(seed: 1)
        #expect(expiries.shuffled(using: &random).sorted { $0.key.lexicographicallyPrecedes($1.key) } == expiries)
        #expect(expiries.sorted() == expiries)
        let short = Array(expiries[0].key.dropLast())
        #expect(throws: IndexError.damaged) { try Expiry(key: short.span) }
    }

    @Test("A name is its own key; a long name has a hash as its key, and no name can equal that hash")
    func names() {
        #expect(IndexTables.nameKey("user:ann") == Array("user:ann".utf8))
        let (one, other) = (String(repeating: "x", count: 256), String(repeating: "x", count: 255) + "y")
        #expect(IndexTables.nameKey(one).count == 33)
        #expect(IndexTables.nameKey(one).first == 0xFF)
        #expect(IndexTables.nameKey(one) != IndexTables.nameKey(other))
        #expect(IndexTables.nameKey(String(one.dropLast())).count == 255)
    }
}
