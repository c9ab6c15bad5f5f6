public import Events

/// An event in the log contradicts the events before it.
public enum FoldingError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownObject(ObjectID, Revision)
    case doesNotFollow(Revision, head: Revision)

    public var description: String {
        switch self {
        case .unknownObject(let object, let revision): "revision \(revision) of the log refers to \(object), which does not exist"
        case .doesNotFollow(let revision, let head): "revision \(revision) cannot be applied after \(head)"
        }
    }
}
