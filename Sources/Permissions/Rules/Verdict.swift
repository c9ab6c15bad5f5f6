public import Events

/// What a caller may do to an object, and what decided it.
@frozen public struct Verdict: Hashable, Sendable {
    /// The effective privileges. Where only some were asked for, the others may be missing here.
    public var effective: Privileges
    public var reason: Reason

    @inlinable public init(effective: Privileges, reason: Reason) {
        self.effective = effective
        self.reason = reason
    }

    /// What decided.
    @frozen public enum Reason: Hashable, Sendable {
        /// Nothing narrows an administrator.
        case administrator
        /// There is no such object.
        case unknownObject
        /// There is no such role, or the name is nobody's.
        case unknownSubject
        /// There is no privilege of this name.
        case unknownPrivilege(String)
        /// What the three levels gave, and how the class level and the object part combine.
        case levels(store: Privileges, class: Privileges, object: Privileges, Composition)
    }

    /// Whether all of some privileges are held.
    @inlinable public func allows(_ wanted: Privileges) -> Bool { !wanted.isEmpty && effective.isSuperset(of: wanted) }
}

/// The levels at which a privilege can be missing.
public enum DecidingLevel: String, Hashable, Sendable, CaseIterable {
    case store, `class`, object
}

extension Verdict {
    /// The highest level that lacks some of the privileges asked for; nil where none does by itself.
    public func decidingLevel(for wanted: Privileges) -> DecidingLevel? {
        guard case .levels(let store, let classLevel, _, let composition) = reason, !allows(wanted) else { return nil }
        // A store level without `update` also takes away create and delete.
        let fromStore = store.contains(.update) ? store : store.subtracting([.create, .update, .delete])
        if !fromStore.isSuperset(of: wanted) { return .store }
        if composition == .narrowing, !classLevel.isSuperset(of: wanted) { return .class }
        return .object
    }
}
