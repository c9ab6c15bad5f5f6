public import Events
public import Permissions

/// The effective privileges of a caller on an object, and when they end if no further commit is made.
public struct TimedPrivileges: Hashable, Sendable {
    public var effective: Privileges
    /// The privileges with an end, disjoint from each other, the earliest end first.
    public var ending: [ExpiringPrivileges]

    public static let none = TimedPrivileges(effective: [], ending: [])

    /// Returns when a privilege ends; ``Primitives/Instant/forever`` if it does not end.
    public func end(of privilege: Privileges) -> Instant {
        ending.first { $0.privileges.contains(privilege) }?.until ?? .forever
    }
}

/// The class, the parent and the last change of an object.
public struct ObjectVersion: Hashable, Sendable {
    public let classID: ClassID
    public let parent: ObjectID?
    /// The revision that created the object, which distinguishes it from an earlier object of the same name.
    public let created: Revision
    /// The revision that last changed its value, parent or owner.
    public let lastChange: Revision
}

extension IndexReader {
    /// Returns an object at the revision; nil if it does not exist.
    public func version(of object: ObjectID) throws -> ObjectVersion? {
        try objectDocument(object).map {
            ObjectVersion(classID: $0.classID, parent: $0.parent, created: $0.created, lastChange: $0.lastChange)
        }
    }

    /// Returns the privileges of a caller's subjects on an object at the revision, and when each ends if no further commit is made.
    ///
    /// Costs as much as two checks if nothing ends; otherwise one more check for each end of an entry that the answer depends on.
    public func timedPrivileges(of subjects: SubjectSet, on object: ObjectID) throws -> TimedPrivileges {
        try timed(subjects) {
            try $0.verdict(for: subjects, on: object)
        } tracking: {
            try $0.verdict(for: subjects, on: object)
        }
    }

    /// Returns the privileges of a caller's subjects at the level of a class, in the same way: creating in it, querying it.
    public func timedPrivileges(of subjects: SubjectSet, onClass classID: ClassID) throws -> TimedPrivileges {
        try timed(subjects) {
            try $0.classVerdict(for: subjects, on: classID)
        } tracking: {
            try $0.classVerdict(for: subjects, on: classID)
        }
    }

    @inline(__always)
    private func timed(
        _ subjects: SubjectSet, _ verdict: (AccessRules<IndexReader>) throws -> Verdict,
        tracking trackedVerdict: (AccessRules<TrackingReader>) throws -> Verdict
    ) throws -> TimedPrivileges {
        // Every expiry before the commit time of a revision is recorded in an earlier revision, so no clock is needed.
        let effective = try verdict(AccessRules(self, at: .distantPast)).effective
        guard !effective.isEmpty, !subjects.isAdministrator else { return TimedPrivileges(effective: effective, ending: []) }
        // Only access that never ends is left at the last instant.
        let lasting = try verdict(AccessRules(self, at: .forever)).effective
        var found = TimedPrivileges(effective: effective, ending: [])
        var (remaining, instant) = (effective, Instant.distantPast)
        while remaining != lasting {
            let tracking = TrackingReader(self)
            let ended = remaining.subtracting(try trackedVerdict(AccessRules(tracking, at: instant)).effective)
            if !ended.isEmpty { found.ending.append(ExpiringPrivileges(privileges: ended, until: instant)) }
            remaining.subtract(ended)
            guard tracking.nextEnd < .forever else { break }
            instant = tracking.nextEnd
        }
        return found
    }
}
