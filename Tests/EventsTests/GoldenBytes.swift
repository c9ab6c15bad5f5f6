import Events

/// Bytes as stored in logs, computed by hand from `Docs/Format.md`. Add rows, but never change one: every later version must
/// read the logs of all released versions.
enum GoldenBytes {
    /// Events in their version 2, which adds the aliases of a class between its options and its new privileges.
    static let version2: [(event: Event, hex: String)] = [
        (
            .classDefined(
                ClassDefined(
                    classID: Introduction(ClassID(rawValue: 16), name: "class:doc"),
                    options: ClassOptions(
                        privileges: .custom(0), properties: ["n"],
                        aliases: [ActionAlias("see", for: .read), ActionAlias("edit", for: [.read, .update, .custom(0)])]),
                    newPrivileges: ["ok"])),
            """
            02 02 24  21 09 63 6c 61 73 73 3a 64 6f 63  01 00 00 80 02  01 01 6e
            02 04 65 64 69 74 86 02 03 73 65 65 02  01 02 6f 6b
            """
        ),
        (
            .classChanged(
                ClassChanged(
                    classID: ClassID(rawValue: 16), options: ClassOptions(aliases: [ActionAlias("é", for: .delete)]))),
            "03 02 0c  10  01 00 00 00 00  01 02 c3 a9 08  00"
        ),
    ]

    /// Events and their bytes: kind, version, payload length, payload.
    static let version1: [(event: Event, hex: String)] = [
        (.storeCreated(.open), "01 01 01 01"),
        (
            .classDefined(
                ClassDefined(
                    classID: Introduction(ClassID(rawValue: 16), name: "class:doc"),
                    options: ClassOptions(
                        objectACL: .required, composition: .widening, inherits: .all, creatorPrivileges: [.read, .query],
                        creatorPermanent: true, readThroughLinks: true, privileges: .custom(0), properties: ["n", "s"]),
                    newPrivileges: ["approve"])),
            """
            02 01 22  21 09 63 6c 61 73 73 3a 64 6f 63  0f ff ff ff ff 0f 12 80 02  02 01 6e 01 73
            01 07 61 70 70 72 6f 76 65
            """
        ),
        (
            .classChanged(
                ClassChanged(
                    classID: ClassID(rawValue: 16),
                    options: ClassOptions(objectACL: .none, inherits: .read, privileges: [.custom(0), .custom(1)]),
                    newPrivileges: ["triage"])),
            "03 01 0f  10  00 02 00 80 06 00  01 06 74 72 69 61 67 65"
        ),
        (
            .principalRegistered(Introduction(ann, name: "user:ann")),
            "04 01 0a  23 08 75 73 65 72 3a 61 6e 6e"
        ),
        (
            .roleCreated(Introduction(editors, name: "role:editors")),
            "05 01 0e  25 0c 72 6f 6c 65 3a 65 64 69 74 6f 72 73"
        ),
        (.roleCreated(Introduction(editors)), "05 01 01  24"),
        (.roleDeleted(editors), "06 01 01  12"),
        (.memberAdded(RoleMember(role: editors, member: ann)), "07 01 02  12 11"),
        (.memberRemoved(RoleMember(role: editors, member: ann)), "08 01 02  12 11"),
        (
            .objectCreated(
                ObjectCreated(
                    object: Introduction(document, name: "doc:é"), classID: ClassID(rawValue: 16), parent: ObjectID(rawValue: 299),
                    owner: ann, value: Array(#"{"to":{"$ref":"doc:2"}}"#.utf8),
                    links: [Introduction(ObjectID(rawValue: 301), name: "doc:2")])),
            """
            09 01 2f  d9 04 06 64 6f 63 3a c3 a9  10  ac 02  11
            01 17 7b 22 74 6f 22 3a 7b 22 24 72 65 66 22 3a 22 64 6f 63 3a 32 22 7d 7d
            01 db 04 05 64 6f 63 3a 32
            """
        ),
        (
            .objectCreated(
                ObjectCreated(
                    object: Introduction(ObjectID(rawValue: 302)), classID: ClassID(rawValue: 16), parent: nil, owner: ann)),
            "09 01 07  dc 04 10 00 11 00 00"
        ),
        (
            .objectWritten(
                ObjectWritten(
                    object: document, value: Array(#"{"n":1}"#.utf8), links: [Introduction(ObjectID(rawValue: 301))])),
            "0a 01 0d  ac 02  07 7b 22 6e 22 3a 31 7d  01 da 04"
        ),
        (.objectMoved(ObjectMoved(object: document, parent: nil)), "0b 01 03  ac 02 00"),
        (.objectDeleted(document), "0c 01 02  ac 02"),
        (.ownerChanged(OwnerChanged(object: document, owner: ann)), "0d 01 03  ac 02 11"),
        (
            .accessGranted(
                AccessGranted(
                    object: document, subject: .everyone, privileges: .read,
                    until: Instant(microseconds: 1_769_904_000_000_000))),
            "0e 01 0d  ac 02 01 02 80  00 e0 34 e3 b7 49 06 00"
        ),
        (
            .accessGranted(AccessGranted(object: .store, subject: .everyone, privileges: .all, cause: .preset)),
            "0e 01 08  00 01 ff ff ff ff 0f 01"
        ),
        (
            .accessGranted(
                AccessGranted(object: document, subject: ann, privileges: [.read, .query], cause: .permanentCreator)),
            "0e 01 05  ac 02 11 12 03"
        ),
        (.accessRevoked(AccessLoss(object: document, subject: ann, privileges: .all)), "0f 01 08  ac 02 11 ff ff ff ff 0f"),
        (.accessExpired(AccessLoss(object: document, subject: .everyone, privileges: .read)), "10 01 04  ac 02 01 02"),
        (
            .permissionDefined(
                PermissionDefined(
                    permission: Introduction(permission, name: "permission:p1"), subject: editors, privileges: [.read, .query])),
            "11 01 12  a1 06 0d 70 65 72 6d 69 73 73 69 6f 6e 3a 70 31 12 12"
        ),
        (
            .permissionChanged(PermissionChanged(permission: permission, subject: .everyone, privileges: .read)),
            "12 01 04  90 03 01 02"
        ),
        (.permissionAttached(PermissionAttachment(permission: permission, object: document)), "13 01 04  90 03 ac 02"),
        (.permissionDetached(PermissionAttachment(permission: permission, object: document)), "14 01 04  90 03 ac 02"),
        (.administratorAppointed(ann), "15 01 01  11"),
        (.administratorDismissed(ann), "16 01 01  11"),
        (.clockCorrected, "17 01 00"),
    ]

    /// Revision 7, 2026-01-01T10:00:00Z, actor #16, no origin, one event: the bytes before the event in the table's tests.
    static let header = "01  07  00 a8 e4 a7 50 47 06 00  10  00  01"

    static func commit(of event: Event) -> Commit {
        Commit(
            revision: Revision(7), time: Instant(microseconds: 1_767_261_600_000_000), actor: PrincipalID(rawValue: 16),
            events: [event])
    }

    /// A commit with every origin field, a time before 1970 and the largest id.
    static let fullCommit = (
        commit: Commit(
            revision: Revision(300), time: Instant(microseconds: -1_000_000), actor: PrincipalID(rawValue: ReservedID.limit),
            origin: Origin(
                requestID: "r-1", idempotencyKey: "k", requestDigest: Array(0..<32), comment: "why", importLine: 129),
            events: [.roleDeleted(editors), .objectDeleted(document)]),
        hex: """
        01  ac 02  c0 bd f0 ff ff ff ff ff  ff ff ff ff ff 1f
        0f  03 72 2d 31  01 6b  20 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f
        10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f  03 77 68 79  81 01
        02  06 01 01 12  0c 01 02 ac 02
        """
    )

    /// A commit with an origin that contains only a credential, as a service writes it.
    static let credentialCommit = (
        commit: Commit(
            revision: Revision(7), time: Instant(microseconds: 1_767_261_600_000_000), actor: PrincipalID(rawValue: 16),
            origin: Origin(credential: "token t1"), events: [.roleDeleted(editors)]),
        hex: "01  07  00 a8 e4 a7 50 47 06 00  10  10 08 74 6f 6b 65 6e 20 74 31  01  06 01 01 12"
    )

    private static let ann = PrincipalID(rawValue: 17)
    private static let editors = PrincipalID(rawValue: 18)
    private static let document = ObjectID(rawValue: 300)
    private static let permission = PermissionID(rawValue: 400)
}

/// Returns the bytes of a text of two-digit hexadecimal numbers. Ignores spaces and line ends between them.
func bytes(_ hex: String) -> [UInt8] {
    hex.split(whereSeparator: \.isWhitespace).map { UInt8($0, radix: 16)! }
}

func encoded(_ commit: Commit) -> [UInt8] {
    var writer = ByteWriter()
    CommitCodec.encode(commit, into: &writer)
    return writer.bytes
}

func decoded(_ bytes: [UInt8]) throws(CodecError) -> Commit { try CommitCodec.decode(bytes.span) }
