internal import Muniment
package import Permissions

/// The subjects that a caller may query.
package enum Asker: Hashable, Sendable {
    /// Any subject: the caller has the permission to query all subjects, or administers the store.
    case anyone
    /// Itself. If the principal administers the store, also any subject. If it may set permissions on an object, also the subjects
    /// with access to that object.
    case itself(Name)
}

/// The permission to query is always judged at the current time, even for a query about the past: a caller that has lost it may not
/// query the past either.
extension Asker {
    /// Returns why a query about a subject is refused; nil if it is allowed.
    func refusal(about subject: EntityPart, in store: Store) throws -> RequestFault? {
        guard case .itself(let name) = self, subject.principal != name, try !administers(name, store) else { return nil }
        return RequestFault("this token allows \(name) only questions about itself: use a token with the right `ask`")
    }

    /// Returns why a query about the subjects with access to an object is refused; nil if it is allowed.
    func refusal(aboutAccessTo resource: EntityPart, in store: Store) throws -> RequestFault? {
        guard case .itself(let name) = self, try !administers(name, store) else { return nil }
        if let object = resource.object, try store.read({ try $0.check(name, ["setPermissions"], on: object).isAllowed }) {
            return nil
        }
        return RequestFault(
            "this token allows \(name) only searches for subjects of objects where it may set permissions: use a token with the right `ask`"
        )
    }

    /// Returns the audience that represents the caller.
    func audience(in store: Store) throws -> Audience {
        switch self {
        case .anyone: .unrestricted
        case .itself(let name): try store.audience(actingAs: name)
        }
    }

    private func administers(_ name: Name, _ store: Store) throws -> Bool { try store.administrators.contains(name) }
}
