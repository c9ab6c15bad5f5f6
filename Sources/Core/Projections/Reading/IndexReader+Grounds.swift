public import Events
internal import Permissions

/// Whether a caller may read an object at a revision, and the basis of the answer.
public struct ReadAccess: Sendable {
    public let mayRead: Bool
    /// The revision that created the object, which distinguishes it from an earlier one of the same name; nil if it does not
    /// exist.
    public let created: Revision?
    /// The first later revision that changes anything the answer is based on; ``Events/Revision/open`` if nothing has changed up
    /// to the head. The answer is the same before it.
    public let until: Revision
    /// The numbers of all entities that the answer is based on, and of all objects above them. It may contain duplicates.
    public let things: [UInt64]
}

/// The value of an object, and its span of revisions.
public struct ValueVersion: Sendable {
    public let begin: Revision
    public let end: Revision
    /// The value as JSON; nil without one.
    public let json: [UInt8]?
}

/// Answers at the revision, with their span of validity.
extension IndexReader {
    /// Returns whether a caller may read an object, according to the log: an end counts from the revision that records it.
    ///
    /// Costs as much as a check; if links are followed, linear in the versions of the links to the object.
    public func readAccess(of caller: Name, to object: ObjectID) throws -> ReadAccess {
        let grounds = Grounds(self)
        let created = try grounds.objectDocument(object)?.created
        var mayRead = false
        if let principal = try grounds.principal(caller) {
            // Every end before a revision's commit time is in the log before that revision, so no clock is needed.
            mayRead = try AccessRules(grounds, at: .distantPast)
                .verdict(for: grounds.subjects(of: principal), on: object, wanted: .read).allows(.read)
        }
        return ReadAccess(mayRead: mayRead, created: created, until: grounds.until, things: grounds.things)
    }

    /// Returns the version of an object's value at the revision; without JSON if the object has no value.
    public func valueVersion(of object: ObjectID) throws -> ValueVersion {
        let version = try document(DocumentID(kind: .value, id: object.rawValue), as: ValueDocument.self)
        return ValueVersion(begin: version.begin, end: version.end, json: version.value?.json)
    }
}
