public import Events
public import Permissions

/// Objects with an owner and an access list, and groups of users, as one user works with them.
///
/// ```swift
/// try await Ownership.define(classes: ["dog"], in: store, as: "user:root")
/// let mine = try await Ownership(in: store, as: CurrentUser(keptIn: "current-user"))
/// let dog = try await mine.create("dog:rex", .object(["name": .string("Rex")]))
/// try await dog.acl.add("user:2bdb0830-3250-4d43-a4c8-8ead3be44a88", [.query, .read, .write])
/// ```
///
/// What is new belongs to whoever made it: its access list gives its owner everything and everyone else nothing
/// (CONFORMANCE G1). Owning an object is no different from having the same access. Users and groups are interchangeable wherever
/// a subject is named.
public struct Ownership: Sendable {
    public let store: Store
    /// Who acts.
    public let user: Name

    /// Acts as the current user of an application. The store knows this user afterwards, so that others can name them.
    ///
    /// - Throws: ``StoreError`` or `LogError` where the store cannot write.
    public init(in store: Store, as user: CurrentUser) async throws { try await self.init(in: store, as: user.name) }

    /// Acts as a user or a thing. The store knows them afterwards, so that others can name them.
    ///
    /// - Throws: `Refusal` with `malformed` for a name that cannot act; ``StoreError`` or `LogError` where the store cannot write.
    public init(in store: Store, as user: Name) async throws {
        try await store.connect(user)
        self.store = store
        self.user = user
    }

    /// Makes an object, which this user owns (CONFORMANCE G3).
    ///
    /// - Parameters:
    ///   - object: its name, of a class that was made with ``define(classes:in:as:)``.
    ///   - value: at most 1 MiB as JSON.
    /// - Throws: `Refusal`: `alreadyExists`, `unknownClass`, `noPrivilege`, `malformed` or `tooLarge`; ``StoreError`` or `LogError`.
    @discardableResult
    public func create(_ object: Name, _ value: JSONValue? = nil) async throws -> Object {
        try await submit([.createObject(object, value: value)])
        return self.object(object)
    }

    /// An object that this user works with, there or not.
    public func object(_ name: Name) -> Object { Object(name: name, ownership: self) }

    /// The objects of a class that this user may read and query, sorted. What may be read and not queried stays out, and can be
    /// fetched by its name (CONFORMANCE G8).
    ///
    /// - Parameter className: the class, without `class:`.
    /// - Throws: `Refusal`: `unknownClass`, or `noPrivilege` where this user may not query the class; ``StoreError``.
    public func list(class className: String) throws -> [Name] {
        try store.read { try $0.list(class: className, as: user).map { Name($0) } }
    }

    @discardableResult
    func submit(_ changes: [Change]) async throws -> Receipt { try await store.commit(Transaction(user, changes)) }

    /// Asks the store, as a user who needs some privilege on an object to be told.
    func ask<R>(about object: Name, needing privilege: String, _ body: (Snapshot) throws -> R) throws -> R {
        try store.read { snapshot in
            guard try snapshot.exists(object) else {
                throw Refusal(.unknownObject, "there is no object `\(object)`: create it first, or check the name")
            }
            guard try snapshot.check(user, [privilege], on: object).isAllowed else {
                throw Refusal.lacking(privilege, on: object, isAnonymous: false)
            }
            return try body(snapshot)
        }
    }
}
