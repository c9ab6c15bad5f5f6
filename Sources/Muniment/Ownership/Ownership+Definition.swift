internal import Events
public import Permissions

/// Making classes whose objects have owners.
extension Ownership {
    /// What makes classes of objects with owners, and gives groups access lists of their own, as changes for a transaction of one's
    /// own. The store and the classes let everyone who is signed in have what an object's entries give.
    ///
    /// - Parameter classes: those to define, without `class:`.
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

    /// Makes classes of objects with owners, and gives groups access lists of their own. Can be called again for further classes.
    ///
    /// The groups of a store are its roles. From then on a role without entries is the administrators' alone.
    ///
    /// - Parameters:
    ///   - classes: those to define, without `class:`; at most 128 bytes each.
    ///   - store: where.
    ///   - caller: an administrator, or whoever else may define classes and set the store's entries.
    /// - Throws: `Refusal`: `alreadyExists` for a class that is defined, `noPrivilege` and others; ``StoreError`` or `LogError`.
    @discardableResult
    public static func define(classes: [String], in store: Store, as caller: Name) async throws -> Receipt {
        try await store.commit(Transaction(caller, definition(ofClasses: classes)))
    }
}
