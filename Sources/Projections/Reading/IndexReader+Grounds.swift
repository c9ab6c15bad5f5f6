public import Events
public import Permissions

/// Whether a caller may read an object at a revision, and what that answer rests on.
public struct ReadAccess: Sendable {
    public let mayRead: Bool
    /// The revision that created the object, which tells it from an earlier one of the same name; nil where there is none.
    public let created: Revision?
    /// The first revision behind the one asked about at which something that the answer rests on is another; ``Events/Revision/open``
    /// where nothing is up to the head. Up to there the answer is the same.
    public let until: Revision
    /// The numbers of everything that the answer rests on, and of all that is above objects among it. Some can come twice.
    public let things: [UInt64]
}

/// The value of an object, and from which revision until before which one it is that.
public struct ValueVersion: Sendable {
    public let begin: Revision
    public let end: Revision
    /// The value as JSON; nil where it has none.
    public let json: [UInt8]?
}

/// What holds at the revision, and for how long.
extension IndexReader {
    /// Whether a caller may read an object, by what the log says: an end counts from the revision that records it.
    ///
    /// As much work as a check; where links are looked at, linear in the versions of the links to the object.
    public func readAccess(of caller: Name, to object: ObjectID) throws -> ReadAccess {
        let grounds = Grounds(self)
        let created = try grounds.objectDocument(object)?.created
        var mayRead = false
        if let principal = try grounds.principal(caller) {
            // Every end that had come by a revision's commit time is in the log before that revision, so no clock is needed.
            mayRead = try AccessRules(grounds, at: .distantPast)
                .verdict(for: grounds.subjects(of: principal), on: object, wanted: .read).allows(.read)
        }
        return ReadAccess(mayRead: mayRead, created: created, until: grounds.until, things: grounds.things)
    }

    /// The version of an object's value in force at the revision; one without JSON where it has none.
    public func valueVersion(of object: ObjectID) throws -> ValueVersion {
        let version = try document(DocumentID(kind: .value, id: object.rawValue), as: ValueDocument.self)
        return ValueVersion(begin: version.begin, end: version.end, json: version.value?.json)
    }
}
