public import Events

/// The log holds an event that cannot follow from the ones before.
public enum FoldingError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownObject(ObjectID, Revision)
    case doesNotFollow(Revision, head: Revision)

    public var description: String {
        switch self {
        case .unknownObject(let object, let revision): "revision \(revision) of the log speaks of \(object), which is not there"
        case .doesNotFollow(let revision, let head): "revision \(revision) cannot be folded behind \(head)"
        }
    }
}
