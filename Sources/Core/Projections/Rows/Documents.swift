internal import Events
internal import Permissions

/// Data with versions in a table of the index.
protocol Versioned: Equatable {
    func encode(into writer: inout ByteWriter)
    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> Self
    /// Whether a transaction that leaves this version instead of another one has changed nothing.
    func hasSameContent(as other: Self) -> Bool
}

extension Versioned {
    func hasSameContent(as other: Self) -> Bool { self == other }
}

/// An object: its class, parent and owner, and its access list.
struct ObjectDocument: Versioned {
    /// More entries than this are stored in separate rows, so that a change of one does not copy all.
    static let inlineEntries = 64

    var classID: ClassID
    var parent: ObjectID?
    var owner: PrincipalID
    /// The revision that created it, which distinguishes it from an earlier object of the same name.
    var created: Revision
    /// The revision that last changed its value, parent or owner.
    var lastChange: Revision
    /// The revision that last changed its entries or attached permissions.
    var lastAccessChange: Revision
    /// Whether the entries are in separate rows.
    var isSpread = false
    /// The entries by subject; empty if they are in separate rows.
    var entries: [AccessEntry] = []
    /// The permissions attached, sorted.
    var attached: [PermissionID] = []

    private static let spreadFlag: UInt8 = 1
    private static let parentFlag: UInt8 = 2
    private static let attachedFlag: UInt8 = 4

    func encode(into writer: inout ByteWriter) {
        writer.byte(
            (isSpread ? Self.spreadFlag : 0) | (parent == nil ? 0 : Self.parentFlag) | (attached.isEmpty ? 0 : Self.attachedFlag))
        writer.varint(classID.rawValue)
        if let parent { writer.varint(parent.rawValue) }
        if !attached.isEmpty {
            writer.varint(UInt64(attached.count))
            for permission in attached { writer.varint(permission.rawValue) }
        }
        writer.varint(UInt64(entries.count))
        let span = entries.span
        var limit = 0
        for index in span.indices { limit += span[index].encodedLimit }
        writer.append(atMost: limit) { output in
            for index in span.indices { span[index].encode(to: &output) }
        }
        writer.varints(owner.rawValue, created.rawValue)
        writer.varint(lastChange.rawValue - created.rawValue)
        writer.varint(lastAccessChange.rawValue - created.rawValue)
    }

    /// A transaction that grants access and revokes it again has changed nothing.
    func hasSameContent(as other: ObjectDocument) -> Bool {
        var document = self
        document.lastAccessChange = other.lastAccessChange
        return document == other
    }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> ObjectDocument {
        let head = try ObjectHead(row, &reader)
        var attachments = ByteReader(offset: head.attachedOffset)
        var attached: [PermissionID] = []
        for _ in 0..<head.attachedCount { attached.append(PermissionID(rawValue: try attachments.varint(row))) }
        var entries: [AccessEntry] = []
        for _ in 0..<(try reader.varint(row)) { entries.append(try AccessEntry.decode(row, &reader)) }
        let owner = PrincipalID(rawValue: try reader.varint(row))
        let created = Revision(try reader.varint(row))
        let lastChange = Revision(created.rawValue + (try reader.varint(row)))
        let lastAccessChange = Revision(created.rawValue + (try reader.varint(row)))
        return ObjectDocument(
            classID: head.place.classID, parent: head.place.parent, owner: owner, created: created, lastChange: lastChange,
            lastAccessChange: lastAccessChange, isSpread: head.isSpread, entries: entries, attached: attached)
    }

    /// The first part of the document, as far as a check needs it.
    struct ObjectHead {
        let place: ClassAndParent
        let isSpread: Bool
        let attachedCount: Int
        let attachedOffset: Int
        /// The offset of the number of entries, followed by the entries.
        let entriesOffset: Int

        @inline(__always)
        init(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) {
            let flags = try reader.byte(row)
            let classID = ClassID(rawValue: try reader.varint(row))
            let parent = flags & ObjectDocument.parentFlag == 0 ? nil : ObjectID(rawValue: try reader.varint(row))
            place = ClassAndParent(classID: classID, parent: parent)
            isSpread = flags & ObjectDocument.spreadFlag != 0
            attachedCount = flags & ObjectDocument.attachedFlag == 0 ? 0 : Int(try reader.varint(row))
            attachedOffset = reader.offset
            for _ in 0..<attachedCount { _ = try reader.varint(row) }
            entriesOffset = reader.offset
        }
    }
}

extension AccessEntry {
    func encode(into writer: inout ByteWriter) { writer.append(atMost: encodedLimit) { encode(to: &$0) } }

    /// The most bytes that ``encode(to:)`` appends.
    fileprivate var encodedLimit: Int { 40 + 18 * ending.count }

    /// Writes an entry. The first number is the subject's number times four, plus one if privileges have an end, plus two if some
    /// are permanent.
    fileprivate func encode(to output: inout OutputSpan<UInt8>) {
        output.varint(subject.rawValue << 2 | (ending.isEmpty ? 0 : 1) | (permanent.isEmpty ? 0 : 2))
        output.varint(UInt64(withoutExpiry.rawValue))
        if !ending.isEmpty {
            output.varint(UInt64(ending.count))
            for slice in ending {
                output.varint(UInt64(slice.privileges.rawValue))
                output.fixed64(UInt64(bitPattern: slice.until.microseconds))
            }
        }
        if !permanent.isEmpty { output.varint(UInt64(permanent.rawValue)) }
    }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> AccessEntry {
        let head = try reader.varint(row)
        var entry = AccessEntry(subject: PrincipalID(rawValue: head >> 2), withoutExpiry: try reader.privilegeBits(row))
        if head & 1 != 0 {
            let count = try reader.varint(row)
            for _ in 0..<count { entry.ending.append(try ExpiringPrivileges.decode(row, &reader)) }
        }
        if head & 2 != 0 { entry.permanent = try reader.privilegeBits(row) }
        return entry
    }

    /// Skips an entry, and returns its privileges at an instant if its subject counts; with nil every subject counts.
    @inline(__always)
    static func live(
        _ row: Span<UInt8>, _ reader: inout ByteReader, for subjects: SubjectSet?, at instant: Instant
    ) throws(CodecError) -> Privileges {
        let head = try reader.varint(row)
        var privileges = try reader.privilegeBits(row)
        if head & 1 != 0 {
            let count = try reader.varint(row)
            for _ in 0..<count {
                let slice = try reader.privilegeBits(row)
                if Instant(microseconds: Int64(bitPattern: try reader.fixed64(row))) > instant { privileges.formUnion(slice) }
            }
        }
        if head & 2 != 0 { _ = try reader.varint(row) }
        return subjects?.contains(PrincipalID(rawValue: head >> 2)) ?? true ? privileges : []
    }
}

extension ByteReader {
    @inline(__always)
    mutating func privilegeBits(_ bytes: Span<UInt8>) throws(CodecError) -> Privileges {
        Privileges(rawValue: UInt32(truncatingIfNeeded: try varint(bytes)))
    }
}

/// The roles that a principal is a direct member of, sorted.
struct MembershipDocument: Versioned {
    var roles: [PrincipalID]

    func encode(into writer: inout ByteWriter) { writer.ascending(roles) }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> MembershipDocument {
        MembershipDocument(roles: try reader.ascending(row))
    }
}

/// Sorted ids: their number, and the difference of each from the previous one.
extension ByteWriter {
    fileprivate mutating func ascending(_ ids: [some EntityID]) {
        varint(UInt64(ids.count))
        var previous: UInt64 = 0
        for id in ids {
            varint(id.rawValue - previous)
            previous = id.rawValue
        }
    }
}

extension ByteReader {
    fileprivate mutating func ascending<ID: EntityID>(_ row: Span<UInt8>) throws(CodecError) -> [ID] {
        var ids: [ID] = []
        var previous: UInt64 = 0
        for _ in 0..<(try varint(row)) {
            previous += try varint(row)
            ids.append(ID(rawValue: previous))
        }
        return ids
    }
}

extension ClassOptions: Versioned {
    func encode(into writer: inout ByteWriter) {
        writer.options(self)
        writer.aliases(aliases)
    }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> ClassOptions {
        try reader.optionsAndAliases(row)
    }
}

extension PermissionGrant: Versioned {
    func encode(into writer: inout ByteWriter) {
        writer.varint(subject.rawValue)
        writer.varint(UInt64(privileges.rawValue))
    }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> PermissionGrant {
        PermissionGrant(subject: PrincipalID(rawValue: try reader.varint(row)), privileges: try reader.privilegeBits(row))
    }
}

/// The value of an object, and its links.
struct ValueDocument: Versioned {
    var json: [UInt8]
    var links: [ObjectLink]

    func encode(into writer: inout ByteWriter) {
        writer.varint(UInt64(links.count))
        for link in links {
            writer.varint(link.target.rawValue)
            writer.varint(link.created?.rawValue ?? 0)
            writer.varint(link.writer.rawValue)
        }
        writer.blob(json)
    }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> ValueDocument {
        let links = try decodeLinks(row, &reader)
        return ValueDocument(json: try reader.blob(row), links: links)
    }

    /// Decodes only the links, which precede the value.
    static func decodeLinks(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> [ObjectLink] {
        let count = try reader.varint(row)
        var links: [ObjectLink] = []
        for _ in 0..<count {
            let target = ObjectID(rawValue: try reader.varint(row))
            let created = Revision(try reader.varint(row))
            let writer = PrincipalID(rawValue: try reader.varint(row))
            links.append(ObjectLink(target: target, created: created == .genesis ? nil : created, writer: writer))
        }
        return links
    }
}

extension ExpiringPrivileges {
    func encode(into writer: inout ByteWriter) {
        writer.varint(UInt64(privileges.rawValue))
        writer.fixed64(UInt64(bitPattern: until.microseconds))
    }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> ExpiringPrivileges {
        let privileges = try reader.privilegeBits(row)
        return ExpiringPrivileges(privileges: privileges, until: Instant(microseconds: Int64(bitPattern: try reader.fixed64(row))))
    }
}

/// The data of a relation, in addition to its two entities.
enum RelationDocument: Versioned {
    /// No data: only the relation itself.
    case bare
    /// The privileges of the first entity on the second, and those with an end: sufficient to distinguish every change of a
    /// grant.
    case grant(Privileges, ending: [ExpiringPrivileges])
    /// An entry in a separate row.
    indirect case entry(AccessEntry)
    /// The objects with a link from a caller to the first entity, sorted.
    case links([ObjectID])

    /// The entry; nil in a relation of another kind.
    var entry: AccessEntry? { if case .entry(let entry) = self { entry } else { nil } }

    /// The linking objects; empty in a relation of another kind.
    var sources: [ObjectID] { if case .links(let sources) = self { sources } else { [] } }

    func encode(into writer: inout ByteWriter) {
        switch self {
        case .bare: break
        case .grant(let privileges, let ending):
            writer.varint(UInt64(privileges.rawValue))
            for slice in ending { slice.encode(into: &writer) }
        case .entry(let entry): entry.encode(into: &writer)
        case .links(let sources): writer.ascending(sources)
        }
    }

    static func decode(
        _ kind: RelationKind, _ row: Span<UInt8>, _ reader: inout ByteReader
    ) throws(CodecError) -> RelationDocument {
        switch kind {
        case .entry: .entry(try AccessEntry.decode(row, &reader))
        case .link: .links(try reader.ascending(row))
        default: try decode(row, &reader)
        }
    }

    static func decode(_ row: Span<UInt8>, _ reader: inout ByteReader) throws(CodecError) -> RelationDocument {
        guard reader.offset < row.count else { return .bare }
        let privileges = try reader.privilegeBits(row)
        var ending: [ExpiringPrivileges] = []
        while reader.offset < row.count { ending.append(try ExpiringPrivileges.decode(row, &reader)) }
        return .grant(privileges, ending: ending)
    }
}

extension AccessEntry {
    /// The relation from the subject of this entry to its object.
    var grantRelation: RelationDocument? { isEmpty ? nil : .grant(privileges, ending: ending) }
}
