package import Events
package import Notices
internal import Permissions

/// A subscriber with only the knowledge from its notices: which objects it can read, which of them are public, which are
/// shared, and its privileges on each. At the first notice about an object it queries its privileges on that object once.
package struct FoldingSubscriber {
    package struct Knowledge: Hashable {
        package var privileges: Set<String>
        package var isPublic: Bool
        package var isShared: Bool

        package init(privileges: Set<String>, isPublic: Bool, isShared: Bool) {
            (self.privileges, self.isPublic, self.isShared) = (privileges, isPublic, isShared)
        }
    }

    /// A notice that contradicts the notices before it.
    package struct UnexpectedNotice: Error, CustomStringConvertible {
        package let description: String
    }

    package private(set) var known: [Name: Knowledge]
    /// The objects that the subscriber could read before the revision of the last notice.
    private var knownBefore: Set<Name>
    /// The objects deleted in that revision. A new object with the same name is a different object.
    private var deleted: Set<Name> = []
    private var revision: Revision
    /// Whether the subscriber can read all public objects. `anonymous` cannot, and neither can a role before it exists. Such a
    /// subscriber gets no notice that an object became public, but it gets the notice that the object became private.
    private let hearsOfAllThatIsPublic: Bool

    /// Starts at a revision with the knowledge that the subscriber can query at that time.
    package init(at revision: Revision, knowing known: [Name: Knowledge], hearsOfAllThatIsPublic: Bool = true) {
        (self.revision, self.known, self.hearsOfAllThatIsPublic) = (revision, known, hearsOfAllThatIsPublic)
        knownBefore = Set(known.keys)
    }

    /// Applies the next notice.
    ///
    /// - Parameter privileges: the subscriber's privileges on an object at the notice's revision.
    package mutating func take(_ notice: Notice, asking privileges: (Name) -> [String]) throws {
        if notice.revision > revision {
            (revision, knownBefore, deleted) = (notice.revision, Set(known.keys), [])
        }
        let object = notice.object
        if knownBefore.contains(object), !deleted.contains(object), !notice.wasAccessible {
            throw surprise(notice, "it could be read before")
        }
        switch notice.kind {
        case .deleted, .madeInaccessible:
            guard notice.wasAccessible else { throw surprise(notice, "it ended without having been there") }
            known[object] = nil
            if notice.kind == .deleted { deleted.insert(object) }
            return
        default: break
        }
        var knowledge =
            known[object] ?? Knowledge(privileges: Set(privileges(object)), isPublic: false, isShared: false)
        try apply(notice, to: &knowledge, isKnown: known[object] != nil && knownBefore.contains(object))
        known[object] = knowledge
    }

    private func apply(_ notice: Notice, to knowledge: inout Knowledge, isKnown: Bool) throws {
        switch notice.kind {
        case .madePublic: knowledge.isPublic = try turned(knowledge.isPublic, to: true, notice)
        case .madePrivate: knowledge.isPublic = try turned(knowledge.isPublic, to: false, notice)
        case .shared: knowledge.isShared = try turned(knowledge.isShared, to: true, notice)
        case .unshared: knowledge.isShared = try turned(knowledge.isShared, to: false, notice)
        case .privilegesChanged:
            guard !notice.gained.isEmpty || !notice.lost.isEmpty else { throw surprise(notice, "nothing changed") }
            // The query at the first notice already included this change.
            guard isKnown else { return }
            guard knowledge.privileges.isSuperset(of: notice.lost), knowledge.privileges.isDisjoint(with: notice.gained) else {
                throw surprise(notice, "\(knowledge.privileges.sorted()) cannot gain and lose that")
            }
            knowledge.privileges.subtract(notice.lost)
            knowledge.privileges.formUnion(notice.gained)
        case .deleted, .madeInaccessible: break
        }
    }

    private func turned(_ value: Bool, to new: Bool, _ notice: Notice) throws -> Bool {
        guard value != new || notice.kind == .madePrivate && !hearsOfAllThatIsPublic else {
            throw surprise(notice, "that it was already")
        }
        return new
    }

    private func surprise(_ notice: Notice, _ why: String) -> UnexpectedNotice {
        UnexpectedNotice(description: "\(notice): \(why)")
    }
}
