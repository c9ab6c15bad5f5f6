public import Events
internal import Muniment
public import Notices
internal import Permissions

/// A notice for a user about shared objects at one revision: all objects with the same change.
///
/// Ids are sorted by their bytes. One notice contains all objects of a revision with the same kind of change.
public struct SharedObjectNotice: Hashable, Sendable {
    public let revision: Revision
    /// The kind of change; never `privilegesChanged`.
    public let kind: Notice.Kind
    /// The objects that the user could not read before. Only notices about objects that were made public or shared contain some.
    public let newlyAccessible: [String]
    /// The objects that the user could read before.
    public let previouslyAccessible: [String]
    /// Whether it is the last notice of its revision. After handling it, a client can continue after that revision.
    public let completesRevision: Bool

    /// All these objects.
    public var ids: [String] {
        (newlyAccessible + previouslyAccessible).sorted { ExactText($0) < ExactText($1) }
    }
}

extension SharedObjectNotice {
    /// Groups the notices of one revision about the objects of a class.
    ///
    /// - Parameter notices: the notices of one revision, in any order.
    static func grouping(_ notices: [Notice], class className: String) -> [SharedObjectNotice] {
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
            return SharedObjectNotice(
                revision: ofKind[0].revision, kind: kind, newlyAccessible: ids(false), previouslyAccessible: ids(true),
                completesRevision: kind == kinds.last)
        }
    }
}
