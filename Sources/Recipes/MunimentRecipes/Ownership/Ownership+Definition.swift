internal import Events
public import Muniment
public import Permissions

/// Defines classes of objects with owners.
extension Ownership {
    /// Returns the changes that define classes of objects with owners, and that give groups access lists, to include in another
    /// transaction. The store and the classes allow all signed-in callers the access that an object's entries give.
    ///
    /// - Parameter classes: the classes to define, without `class:`.
    public static func definition(ofClasses classes: [String]) -> [Change] {
        let everything = Permissions.all.privilegeNames
        let allowed = ["create"] + everything
        let settings = ClassSettings(objectACL: .required, creatorPrivileges: everything, creatorPermanent: false)
        let settingsOfClasses = ClassSettings(
            objectACL: .required, composition: .narrowing, inherits: .nothing, creatorPrivileges: everything,
            creatorPermanent: false, readThroughLinks: false)
        var changes: [Change] = [
            .grant(.everyone, on: .store, allowed), .changeClass("role", settings), .grant(.everyone, on: .class("role"), allowed),
        ]
        for name in classes {
            changes += [.defineClass(name, settingsOfClasses), .grant(.everyone, on: .class(name), allowed)]
        }
        return changes
    }

    /// Defines classes of objects with owners, and gives groups access lists. May be called again for more classes.
    ///
    /// The groups of a store are its roles. Afterwards, only administrators have access to roles without entries.
    ///
    /// - Parameters:
    ///   - classes: the classes to define, without `class:`; at most 128 bytes each.
    ///   - store: the store to change.
    ///   - caller: an administrator, or another caller that may define classes and set the store's entries.
    /// - Throws: `Refusal`: `alreadyExists` for a class that is defined, `noPrivilege` and others; ``Muniment/StoreError`` or `LogError`.
    @discardableResult
    public static func define(classes: [String], in store: Store, as caller: Name) async throws -> Receipt {
        try await store.commit(Transaction(caller, definition(ofClasses: classes)))
    }
}
