package import Events
package import Notices
internal import Permissions

/// One who knows nothing but what notices said: which objects there are to read, which of them are public, which are shared, and
/// what may be done with each. Of an object that it hears of for the first time it asks once what it may do with it.
package struct FoldingSubscriber {
    package struct Knowledge: Hashable {
        package var privileges: Set<String>
        package var isPublic: Bool
        package var isShared: Bool

        package init(privileges: Set<String>, isPublic: Bool, isShared: Bool) {
            (self.privileges, self.isPublic, self.isShared) = (privileges, isPublic, isShared)
        }
    }

    /// A notice that cannot be, after those before it.
    package struct Surprise: Error, CustomStringConvertible {
        package let description: String
    }

    package private(set) var known: [Name: Knowledge]
    /// What it could read before the revision of the last notice.
    private var knownBefore: Set<Name>
    /// What it was told in that revision: one that is deleted and made again is not the one that it could read.
    private var deleted: Set<Name> = []
    private var revision: Revision
    /// Whether it can read whatever is public. A role that was not there could not, nor can `anonymous`: what was public before they
    /// could read it was told to nobody, and its end is.
    private let hearsOfAllThatIsPublic: Bool

    /// One that begins at a revision with what it can ask then.
    package init(at revision: Revision, knowing known: [Name: Knowledge], hearsOfAllThatIsPublic: Bool = true) {
        (self.revision, self.known, self.hearsOfAllThatIsPublic) = (revision, known, hearsOfAllThatIsPublic)
        knownBefore = Set(known.keys)
    }

    /// Takes the next notice.
    ///
    /// - Parameter privileges: what the subscriber may do with an object at the notice's revision.
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
            // Whoever has only just asked knows it already.
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

    private func surprise(_ notice: Notice, _ why: String) -> Surprise { Surprise(description: "\(notice): \(why)") }
}
