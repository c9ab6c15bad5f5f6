public import Events
public import Permissions

/// The data that notices depend on, for one subscriber and one object at one revision.
@frozen public struct ObjectAccess: Hashable, Sendable {
    /// Whether the object exists.
    public let exists: Bool
    /// The privileges of the subscriber on it.
    public let privileges: Privileges
    /// Whether a signed-in caller without an entry may read it.
    public let isPublic: Bool
    /// Whether the subscriber administers the store, or may read the object even if entries for unlisted users do not count at
    /// the level that decides.
    public let isShared: Bool

    @inlinable public init(exists: Bool, privileges: Privileges, isPublic: Bool, isShared: Bool) {
        self.exists = exists
        self.privileges = privileges
        self.isPublic = isPublic
        self.isShared = isShared
    }

    @inlinable public var isReadable: Bool { privileges.contains(.read) }

    /// Access to an object that does not exist.
    public static let absent = ObjectAccess(exists: false, privileges: [], isPublic: false, isShared: false)
}

extension AccessRules {
    /// Returns the data that a subscriber's notices of an object depend on, at the revision and the instant of these rules. Costs
    /// as much as three checks of a cached object.
    @inlinable public func access(of subscriber: SubscriberSubjects, to object: ObjectID) throws -> ObjectAccess {
        let verdict = try verdict(for: subscriber.subjects, on: object)
        if case .unknownObject = verdict.reason { return .absent }
        let isPublic = try self.verdict(for: subscriber.unlisted, on: object, wanted: .read).effective.contains(.read)
        var isShared = subscriber.subjects.isAdministrator
        // Fewer subjects never give more, so an unreadable object is never shared.
        if !isShared, verdict.effective.contains(.read) {
            isShared = try self.verdict(for: subscriber.subjects, on: object, wanted: .read, deciding: subscriber.own)
                .effective.contains(.read)
        }
        return ObjectAccess(exists: true, privileges: verdict.effective, isPublic: isPublic, isShared: isShared)
    }
}

/// The subjects of a subscriber, and the subjects of a signed-in caller without an entry.
@frozen public struct SubscriberSubjects: Sendable {
    public let subjects: SubjectSet
    public let unlisted: SubjectSet
    /// The subjects that are specific to the subscriber.
    @usableFromInline let own: SubjectSet

    /// - Parameters:
    ///   - subjects: the subjects of the subscriber; empty for a role that does not exist.
    ///   - unlisted: `everyone`, `anonymous` and the roles with the member `everyone`.
    public init(subjects: SubjectSet, unlisted: SubjectSet) {
        self.subjects = subjects
        self.unlisted = unlisted
        own = subjects.subtracting(unlisted)
    }

    /// Whether a grant to a subject can be relevant for the subscriber.
    public func meets(_ subject: PrincipalID) -> Bool { subjects.contains(subject) || unlisted.contains(subject) }

    /// Every subject of either kind.
    public var members: Set<PrincipalID> { Set(subjects.members).union(unlisted.members) }
}
