import Events
import TestSupport

/// Generates events and commits from a seed, with unusual and extreme values in every field.
struct RandomEvents {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func commit() -> Commit {
        var origin = Origin()
        if random.chance(percent: 30) { origin.requestID = text() }
        if random.chance(percent: 30) {
            origin.idempotencyKey = text()
            origin.requestDigest = blob(32)
        }
        if random.chance(percent: 30) { origin.comment = text() }
        if random.chance(percent: 30) { origin.importLine = number() }
        if random.chance(percent: 30) { origin.credential = text() }
        return Commit(
            revision: Revision(number()), time: instant(), actor: id(), origin: origin,
            events: (0..<random.number(0...6)).map { _ in event(random.one(of: Event.Kind.allCases)) })
    }

    mutating func event(_ kind: Event.Kind) -> Event {
        switch kind {
        case .storeCreated: .storeCreated(random.one(of: [.locked, .open]))
        case .classDefined:
            .classDefined(ClassDefined(classID: introduction(), options: options(), newPrivileges: texts()))
        case .classChanged: .classChanged(ClassChanged(classID: id(), options: options(), newPrivileges: texts()))
        case .principalRegistered: .principalRegistered(introduction())
        case .roleCreated: .roleCreated(introduction())
        case .roleDeleted: .roleDeleted(id())
        case .memberAdded: .memberAdded(RoleMember(role: id(), member: id()))
        case .memberRemoved: .memberRemoved(RoleMember(role: id(), member: id()))
        case .objectCreated:
            .objectCreated(
                ObjectCreated(
                    object: introduction(), classID: id(), parent: optionalID(), owner: id(),
                    value: random.chance(percent: 50) ? blob(random.number(0...300)) : nil, links: links()))
        case .objectWritten:
            .objectWritten(ObjectWritten(object: id(), value: blob(random.number(0...300)), links: links()))
        case .objectMoved: .objectMoved(ObjectMoved(object: id(), parent: optionalID()))
        case .objectDeleted: .objectDeleted(id())
        case .ownerChanged: .ownerChanged(OwnerChanged(object: id(), owner: id()))
        case .accessGranted:
            .accessGranted(
                AccessGranted(
                    object: id(), subject: id(), privileges: privileges(), until: instant(),
                    cause: random.one(of: [.granted, .preset, .creator, .permanentCreator])))
        case .accessRevoked: .accessRevoked(AccessLoss(object: id(), subject: id(), privileges: privileges()))
        case .accessExpired: .accessExpired(AccessLoss(object: id(), subject: id(), privileges: privileges()))
        case .permissionDefined:
            .permissionDefined(PermissionDefined(permission: introduction(), subject: id(), privileges: privileges()))
        case .permissionChanged:
            .permissionChanged(PermissionChanged(permission: id(), subject: id(), privileges: privileges()))
        case .permissionAttached: .permissionAttached(PermissionAttachment(permission: id(), object: id()))
        case .permissionDetached: .permissionDetached(PermissionAttachment(permission: id(), object: id()))
        case .administratorAppointed: .administratorAppointed(id())
        case .administratorDismissed: .administratorDismissed(id())
        case .clockCorrected: .clockCorrected
        }
    }

    private mutating func number() -> UInt64 {
        random.one(of: [0, 1, 127, 128, 16_383, 16_384, .max, random.next(), random.next() >> UInt64(random.number(0...63))])
    }

    private mutating func id<ID: EntityID>() -> ID {
        ID(rawValue: random.one(of: [number() & ReservedID.limit, ReservedID.limit]))
    }

    private mutating func optionalID() -> ObjectID? { random.chance(percent: 30) ? nil : id() }

    private mutating func introduction<ID>() -> Introduction<ID> {
        Introduction(id(), name: random.chance(percent: 50) ? text() : nil)
    }

    private mutating func links() -> [Introduction<ObjectID>] { (0..<random.number(0...3)).map { _ in introduction() } }

    private mutating func privileges() -> Privileges {
        random.one(of: [[], .all, .builtIn, .custom(23), Privileges(rawValue: UInt32(truncatingIfNeeded: random.next()))])
    }

    private mutating func instant() -> Instant {
        random.one(of: [
            .forever, .distantPast, Instant(microseconds: 0), Instant(microseconds: Int64(bitPattern: random.next())),
        ])
    }

    private mutating func text() -> String {
        let alphabet = ["a", "Z", "0", ":", " ", "é", "e\u{301}", "\u{0}", "\u{FFFD}", "\u{1D11E}", "語", "\n"]
        return (0..<random.one(of: [0, 1, 5, 130])).map { _ in random.one(of: alphabet) }.joined()
    }

    private mutating func texts() -> [String] { (0..<random.number(0...3)).map { _ in text() } }

    private mutating func blob(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }

    private mutating func options() -> ClassOptions {
        ClassOptions(
            objectACL: random.one(of: [ObjectACL.none, .required]), composition: random.one(of: [.narrowing, .widening]),
            inherits: privileges(), creatorPrivileges: privileges(), creatorPermanent: random.chance(percent: 50),
            readThroughLinks: random.chance(percent: 50), privileges: privileges(), properties: texts(),
            aliases: (0..<random.number(0...2)).map { ActionAlias("\($0)" + text(), for: privileges()) })
    }
}
