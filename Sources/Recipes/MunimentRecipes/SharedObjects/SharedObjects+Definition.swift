internal import Events
public import Muniment
public import Permissions

/// Defines a class of shared objects.
extension SharedObjects {
    /// Returns the changes that define a class of shared objects, to include in another transaction. Only its creator has access to
    /// a new object. The store and the class allow all signed-in callers the access that an object's entries give.
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

    /// Defines a class of shared objects, once.
    ///
    /// - Parameters:
    ///   - className: the class, without `class:`; at most 128 bytes.
    ///   - store: the store to change.
    ///   - caller: an administrator, or another caller that may define classes and set the store's entries.
    /// - Throws: `Refusal`: `alreadyExists` for a class that is defined, `noPrivilege` and others; ``Muniment/StoreError`` or `LogError`.
    @discardableResult
    public static func define(class className: String, in store: Store, as caller: Name) async throws -> Receipt {
        try await store.commit(Transaction(caller, definition(of: className)))
    }
}
