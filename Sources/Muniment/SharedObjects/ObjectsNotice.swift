public import Events
public import Notices
internal import Permissions

/// What a user is told of shared objects at one revision: the objects to which one thing happened.
///
/// Ids are sorted by their bytes. All objects of a revision to which the same happened are in one of these.
public struct ObjectsNotice: Hashable, Sendable {
    public let revision: Revision
    /// What happened to them; never `privilegesChanged`.
    public let kind: Notice.Kind
    /// The objects that the user could not read before: there are such only where they were made public or shared.
    public let newlyAccessible: [String]
    /// The objects that the user could read before.
    public let previouslyAccessible: [String]
    /// Whether it is the last of its revision: one who has handled it can go on behind that revision.
    public let completesRevision: Bool

    /// All these objects.
    public var ids: [String] {
        (newlyAccessible + previouslyAccessible).sorted { ExactText($0) < ExactText($1) }
    }

    public init(
        revision: Revision, kind: Notice.Kind, newlyAccessible: [String], previouslyAccessible: [String],
        completesRevision: Bool
    ) {
        self.revision = revision
        self.kind = kind
        self.newlyAccessible = newlyAccessible
        self.previouslyAccessible = previouslyAccessible
        self.completesRevision = completesRevision
    }
}

extension ObjectsNotice {
    /// What the notices of one revision say of the objects of a class.
    ///
    /// - Parameter notices: of one revision, in any order.
    static func grouping(_ notices: [Notice], class className: String) -> [ObjectsNotice] {
        let ofClass = notices.filter { notice in
            notice.kind != .privilegesChanged && ExactText(notice.object.className) == ExactText(className)
        }.sorted()
        let kinds = ofClass.reduce(into: [Notice.Kind]()) { kinds, notice in
            if kinds.last != notice.kind { kinds.append(notice.kind) }
        }
        return kinds.map { kind in
            let ofKind = ofClass.filter { $0.kind == kind }
            func ids(_ wasAccessible: Bool) -> [String] {
                ofKind.filter { $0.wasAccessible == wasAccessible }.compactMap(\.object.id)
            }
            return ObjectsNotice(
                revision: ofKind[0].revision, kind: kind, newlyAccessible: ids(false), previouslyAccessible: ids(true),
                completesRevision: kind == kinds.last)
        }
    }
}
