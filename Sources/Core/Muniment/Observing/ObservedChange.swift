public import Events
internal import Permissions

/// One change that a commit made at the observed path.
///
/// A commit with several changes there causes several of these, all with its revision: first the changes of children, in the
/// order of their names, and last the change of the value itself. After the last one the receiver has the whole step.
public struct ObservedChange: Hashable, Sendable {
    /// The revision of the change.
    public let revision: Revision
    /// The time of the commit.
    public let time: Instant
    /// The actor of the commit.
    public let actor: Name
    public let kind: Kind

    public init(revision: Revision, time: Instant, actor: Name, kind: Kind) {
        self.revision = revision
        self.time = time
        self.actor = actor
        self.kind = kind
    }

    /// The kind of change. Children are the members of the object at the path, or the elements of the array there under their
    /// indexes; other values have no children.
    public enum Kind: Hashable, Sendable {
        case childAdded(name: String, value: JSONValue)
        case childChanged(name: String, before: JSONValue, after: JSONValue)
        case childRemoved(name: String, before: JSONValue)
        /// The value at the path has changed; nil if the path does not exist.
        case valueChanged(before: JSONValue?, after: JSONValue?)
    }
}

extension ObservedChange.Kind {
    /// Returns the changes from one value to another at the same path, in the order of delivery. Linear in the values.
    static func changes(from before: JSONValue?, to after: JSONValue?) -> [ObservedChange.Kind] {
        guard before != after else { return [] }
        let (old, new) = (before?.children ?? [:], after?.children ?? [:])
        let names = Set(old.keys).union(new.keys).sorted()
        let children = names.compactMap { name -> ObservedChange.Kind? in
            switch (old[name], new[name]) {
            case (nil, let value?): .childAdded(name: name.text, value: value)
            case (let before?, nil): .childRemoved(name: name.text, before: before)
            case (let before?, let after?) where before != after:
                .childChanged(name: name.text, before: before, after: after)
            default: nil
            }
        }
        return children + [.valueChanged(before: before, after: after)]
    }
}
