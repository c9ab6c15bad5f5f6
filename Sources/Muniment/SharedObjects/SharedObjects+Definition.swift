internal import Events
public import Permissions

/// Making a class of shared objects.
extension SharedObjects {
    /// What makes a class of shared objects, as changes for a transaction of one's own: nobody but its creator has anything on a
    /// new object, and the store and the class let everyone who is signed in have what an object's entries give.
    ///
    /// - Parameter className: the class, without `class:`.
    public static func definition(of className: String) -> [Change] {
        let allowed = ["create"] + specifiedUserPrivileges
        let settings = ClassSettings(
            objectACL: .required, composition: .narrowing, inherits: .nothing, creatorPrivileges: specifiedUserPrivileges,
            creatorPermanent: false, readThroughLinks: false)
        return [
            .defineClass(className, settings),
            .grant(.everyone, on: .store, allowed),
            .grant(.everyone, on: .class(className), allowed),
        ]
    }

    /// Makes a class of shared objects, once.
    ///
    /// - Parameters:
    ///   - className: the class, without `class:`; at most 128 bytes.
    ///   - store: where.
    ///   - caller: an administrator, or whoever else may define classes and set the store's entries.
    /// - Throws: `Refusal`: `alreadyExists` for a class that is defined, `noPrivilege` and others; ``StoreError`` or `LogError`.
    @discardableResult
    public static func define(class className: String, in store: Store, as caller: Name) async throws -> Receipt {
        try await store.commit(Transaction(caller, definition(of: className)))
    }
}
