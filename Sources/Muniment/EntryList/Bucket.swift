internal import Events
public import Permissions

/// A class of objects whose own entries widen what each object gives, and that belongs to somebody for good.
///
/// Whoever defines a bucket, its scope's owner, has a permanent entry on it, and so on every object in it; whoever creates an
/// object has a permanent entry on that. Neither can be taken away (CONFORMANCE K9).
public struct Bucket: Hashable, Sendable {
    /// The class, without `class:`.
    public let name: String
    /// The object that stands for the bucket, whose entries are the bucket's.
    public var object: Name { .class(name) }

    /// Names a bucket. Constant.
    ///
    /// - Parameter name: the class, without `class:`.
    public init(_ name: String) { self.name = name }

    /// What the creator of an object has on it for good.
    private static let creatorsPrivileges = ["delete", "query", "read", "setPermissions", "update"]
    /// What the owner of a bucket has on it for good.
    private static let ownersPrivileges = creatorsPrivileges + ["create"]

    /// Prepares a store for buckets, as one transaction of an administrator's: classes belong to whoever defines them from now
    /// on, permanently; the store level lets all callers through, so that buckets and objects decide; some may define buckets.
    ///
    /// - Parameters:
    ///   - store: open for writing; its preset does not matter.
    ///   - administrator: an administrator of the store. It may define buckets of its own in any case.
    ///   - owners: users and things that may define buckets; they are registered where they are not known yet.
    /// - Throws: `Refusal`: `noPrivilege` where the caller is no administrator.
    @discardableResult
    public static func prepare(_ store: Store, as administrator: Name, owners: [Name] = []) async throws -> Receipt {
        var changes: [Change] = [
            .changeClass("class", ClassSettings(creatorPrivileges: ownersPrivileges, creatorPermanent: true)),
            .grant(.anonymous, on: .store, ["create", "delete", "query", "read", "update"]),
            .grant(.everyone, on: .store, ["setPermissions"]),
            // On a class itself only its own entries decide; the class of classes stands in nobody's way.
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
    ///   - owner: who defines it and owns it for good.
    ///   - actions: what every user and thing that is signed in may do in it.
    /// - Throws: `Refusal`: `alreadyExists`, `noPrivilege` where the owner may not define classes or the store is not prepared.
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
