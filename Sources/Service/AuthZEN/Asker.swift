internal import Muniment
package import Permissions

/// Whom a caller may ask about.
package enum Asker: Hashable, Sendable {
    /// About anyone: whoever was given the right to ask, or administers the store.
    case anyone
    /// About itself. Where the principal administers the store, about anyone too; where it may set permissions on an object,
    /// about who has access to that.
    case itself(Name)
}

/// Who may ask is judged by now, whatever moment the question is about: who was dismissed has no say about the past either.
extension Asker {
    /// Why a question about a subject is not answered; nil where it is.
    func refusal(about subject: EntityPart, in store: Store) throws -> RequestFault? {
        guard case .itself(let name) = self, subject.principal != name, try !administers(name, store) else { return nil }
        return RequestFault("this token lets \(name) ask about itself: ask about others with one that has the right to ask")
    }

    /// Why a question about who has access to an object is not answered; nil where it is.
    func refusal(aboutAccessTo resource: EntityPart, in store: Store) throws -> RequestFault? {
        guard case .itself(let name) = self, try !administers(name, store) else { return nil }
        if let object = resource.object, try store.read({ try $0.check(name, ["setPermissions"], on: object).isAllowed }) {
            return nil
        }
        return RequestFault(
            "this token lets \(name) search for subjects where it may set permissions: use one that has the right to ask")
    }

    /// What a caller may know.
    func audience(in store: Store) throws -> Audience {
        switch self {
        case .anyone: .unrestricted
        case .itself(let name): try store.audience(actingAs: name)
        }
    }

    private func administers(_ name: Name, _ store: Store) throws -> Bool { try store.administrators.contains(name) }
}
