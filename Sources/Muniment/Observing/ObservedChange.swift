public import Events
public import Permissions

/// One thing that a commit changed at the place that is observed.
///
/// A commit that changes several things there makes several of these, all with its revision: first those about children, in the
/// order of their names, and last the one that says that the value changed. So whoever has that one has the whole step.
public struct ObservedChange: Hashable, Sendable {
    /// The commit that made it.
    public let revision: Revision
    /// When that was.
    public let time: Instant
    /// Who made the commit.
    public let actor: Name
    public let kind: Kind

    public init(revision: Revision, time: Instant, actor: Name, kind: Kind) {
        self.revision = revision
        self.time = time
        self.actor = actor
        self.kind = kind
    }

    /// What changed. Children are the members of the object at the place, or the elements of the array there under their indexes;
    /// any other value has none.
    public enum Kind: Hashable, Sendable {
        case childAdded(name: String, value: JSONValue)
        case childChanged(name: String, before: JSONValue, after: JSONValue)
        case childRemoved(name: String, before: JSONValue)
        /// The value at the place is another one; nil where nothing stands there.
        case valueChanged(before: JSONValue?, after: JSONValue?)
    }
}

extension ObservedChange.Kind {
    /// What changed from one value to another at the same place, in the order in which it is told. Linear in the values.
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
