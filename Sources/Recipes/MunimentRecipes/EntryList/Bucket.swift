internal import Events
public import Muniment
public import Permissions

/// A class of objects with a permanent owner. The entries on the bucket also apply to each object in it.
///
/// The user that defines a bucket is its owner and has a permanent entry on it, and so on every object in it. The creator of an
/// object has a permanent entry on that object. These entries cannot be removed (CONFORMANCE K9).
public struct Bucket: Hashable, Sendable {
    /// The class, without `class:`.
    public let name: String
    /// The `class:` object that holds the bucket's entries.
    public var object: Name { .class(name) }

    /// Creates a reference to a bucket. Constant time.
    ///
    /// - Parameter name: the class, without `class:`.
    public init(_ name: String) { self.name = name }

    /// The permanent privileges of an object's creator.
    private static let creatorsPrivileges = ["delete", "query", "read", "setPermissions", "update"]
    /// The permanent privileges of a bucket's owner.
    private static let ownersPrivileges = creatorsPrivileges + ["create"]

    /// Prepares a store for buckets, in one transaction of an administrator. Afterwards, classes permanently belong to the user
    /// that defines them. The store level lets all callers use buckets, so that buckets and objects decide. The owners may define
    /// buckets.
    ///
    /// - Parameters:
    ///   - store: open for writing, with any preset.
    ///   - administrator: an administrator of the store. It may always define buckets.
    ///   - owners: users and things that may define buckets; unknown ones are registered.
    /// - Throws: `Refusal`: `noPrivilege` if the caller does not administer the store.
    @discardableResult
    public static func prepare(_ store: Store, as administrator: Name, owners: [Name] = []) async throws -> Receipt {
        var changes: [Change] = [
            .changeClass("class", ClassSettings(creatorPrivileges: ownersPrivileges, creatorPermanent: true)),
            .grant(.anonymous, on: .store, ["create", "delete", "query", "read", "update"]),
            .grant(.everyone, on: .store, ["setPermissions"]),
            // Only a class's own entries restrict access to it; the class of classes does not restrict it.
            .grant(.everyone, on: .class("class"), ownersPrivileges),
        ]
        for owner in owners {
            changes.append(.register(owner))
            for object in [Name.store, .class("store")] { changes.append(.grant(owner, on: object, ["modifySchema"])) }
        }
        return try await store.commit(Transaction(administrator, changes))
    }

    /// Defines the bucket in a prepared store.
    ///
    /// - Parameters:
    ///   - store: open for writing, and prepared by ``prepare(_:as:owners:)``.
    ///   - owner: the user that defines the bucket and owns it permanently.
    ///   - actions: the actions that all signed-in users and things may do in it.
    /// - Throws: `Refusal`: `alreadyExists`; `noPrivilege` if the owner may not define classes or the store is not prepared.
    @discardableResult
    public func define(
        in store: Store, as owner: Name, everyone actions: BucketActions = [.createObjects, .queryObjects]
    ) async throws -> Receipt {
        let settings = ClassSettings(
            composition: .widening, creatorPrivileges: Bucket.creatorsPrivileges, creatorPermanent: true)
        return try await store.commit(
            Transaction(owner, [.defineClass(name, settings), .setAccess(.everyone, on: object, actions.names)]))
    }
}
