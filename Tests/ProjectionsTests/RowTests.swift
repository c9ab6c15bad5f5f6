import Events
import LMDB
import Testing

@testable import Projections

@Suite("Rows carry a checksum")
struct RowTests {
    private let key = DocumentID(kind: .object, id: 4711).key(Revision(99))
    private let tag = IndexTables.Tag.documents

    private func row() -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(0xAA)
        let range = VersionRow.write(key: key, tag: tag, end: Revision(1234), into: &writer) { writer in
            ObjectDocument(
                classID: ClassID(rawValue: 20), parent: ObjectID(rawValue: 21), owner: PrincipalID(rawValue: 22),
                created: Revision(7), lastChange: Revision(9), lastAccessChange: Revision(8)
            ).encode(into: &writer)
        }
        return Array(writer.bytes[range])
    }

    @Test("A version's row contains its end, and is valid only under its key and in its table")
    func version() throws {
        let row = row()
        #expect(try VersionRow.end(key: key, tag: tag, row.span) == Revision(1234))
        let others = [
            DocumentID(kind: .object, id: 4712).key(Revision(99)), DocumentID(kind: .object, id: 4711).key(Revision(98)),
            DocumentID(kind: .value, id: 4711).key(Revision(99)),
        ]
        for other in others { #expect(throws: IndexError.damaged) { try VersionRow.end(key: other, tag: tag, row.span) } }
        #expect(throws: IndexError.damaged) { try VersionRow.end(key: key, tag: IndexTables.Tag.relations, row.span) }
    }

    @Test("A change of any byte of a version's row is found")
    func everyByteOfAVersion() {
        let row = row()
        for index in row.indices {
            for change in UInt8(1)...255 {
                var damaged = row
                damaged[index] ^= change
                #expect(throws: IndexError.damaged) { try VersionRow.end(key: key, tag: tag, damaged.span) }
            }
        }
    }

    @Test("A row with a missing end, or with extra bytes after it, is found")
    func lengths() {
        let row = row()
        for count in 0..<row.count {
            let short = Array(row.prefix(count))
            #expect(throws: IndexError.damaged) { try VersionRow.end(key: key, tag: tag, short.span) }
        }
        for byte in [UInt8(0), 1, 255] {
            let long = row + [byte]
            #expect(throws: IndexError.damaged) { try VersionRow.end(key: key, tag: tag, long.span) }
        }
    }

    @Test("A change of any byte of a plain row or of its key is found")
    func everyByteOfAPlainRow() {
        let tag = IndexTables.Tag.names
        let key = Array("user:ann".utf8)
        let row = PlainRow.bytes(key: key.span, tag: tag) { $0.varint(123_456) }
        #expect(throws: Never.self) { try PlainRow.check(key: key.span, tag: tag, row.span) }
        for change in UInt8(1)...255 {
            for index in row.indices {
                var damaged = row
                damaged[index] ^= change
                #expect(throws: IndexError.damaged) { try PlainRow.check(key: key.span, tag: tag, damaged.span) }
            }
            for index in key.indices {
                var other = key
                other[index] ^= change
                #expect(throws: IndexError.damaged) { try PlainRow.check(key: other.span, tag: tag, row.span) }
            }
        }
    }
}
