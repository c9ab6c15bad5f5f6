public import Events

/// The privileges of a caller on an object, and what decided them.
@frozen public struct Verdict: Hashable, Sendable {
    /// The effective privileges. If the question was about some privileges only, others may be missing.
    public var effective: Privileges
    public var reason: Reason

    @inlinable public init(effective: Privileges, reason: Reason) {
        self.effective = effective
        self.reason = reason
    }

    /// The reason for the answer.
    @frozen public enum Reason: Hashable, Sendable {
        /// The caller is an administrator, who has every privilege.
        case administrator
        /// The object does not exist.
        case unknownObject
        /// The role does not exist, or the name is not a subject's.
        case unknownSubject
        /// The store does not define a privilege of this name.
        case unknownPrivilege(String)
        /// The privileges of the three levels, and how the class level and the object part combine.
        case levels(store: Privileges, class: Privileges, object: Privileges, Composition)
    }

    /// Whether all of some privileges are effective.
    @inlinable public func allows(_ wanted: Privileges) -> Bool { !wanted.isEmpty && effective.isSuperset(of: wanted) }
}

/// The levels that can lack a privilege.
public enum DecidingLevel: String, Hashable, Sendable, CaseIterable {
    case store, `class`, object
}

extension Verdict {
    /// Returns the highest level that lacks some of the wanted privileges; nil if no single level does.
    public func decidingLevel(for wanted: Privileges) -> DecidingLevel? {
        guard case .levels(let store, let classLevel, _, let composition) = reason, !allows(wanted) else { return nil }
        // Without `update` at the store level, create and delete are removed too.
        let fromStore = store.contains(.update) ? store : store.subtracting([.create, .update, .delete])
        if !fromStore.isSuperset(of: wanted) { return .store }
        if composition == .narrowing, !classLevel.isSuperset(of: wanted) { return .class }
        return .object
    }
}
