public import Events
public import Muniment
internal import Permissions

/// Objects with an owner and an access list, and groups of users, used by one user.
///
/// ```swift
/// try await Ownership.define(classes: ["dog"], in: store, as: "user:root")
/// let mine = try await Ownership(in: store, as: CurrentUser(keptIn: "current-user"))
/// let dog = try await mine.create("dog:rex", .object(["name": .string("Rex")]))
/// try await dog.acl.add("user:2bdb0830-3250-4d43-a4c8-8ead3be44a88", [.query, .read, .write])
/// ```
///
/// The creator of an object is its owner. A new access list gives the owner all permissions and other subjects none (CONFORMANCE
/// G1). Ownership itself adds nothing: another subject with all permissions has the same access. A subject is a user or a group.
public struct Ownership: Sendable {
    public let store: Store
    /// The user that acts.
    public let user: Name

    /// Acts as the current user of an application. Registers the user in the store, so that others can name it.
    ///
    /// - Throws: ``Muniment/StoreError`` or `LogError` if the store cannot write.
    public init(in store: Store, as user: CurrentUser) async throws { try await self.init(in: store, as: user.name) }

    /// Acts as a user or a thing. Registers it in the store, so that others can name it.
    ///
    /// - Throws: `Refusal` with `malformed` for a name that cannot act; ``Muniment/StoreError`` or `LogError` if the store cannot write.
    public init(in store: Store, as user: Name) async throws {
        try await store.connect(user)
        self.store = store
        self.user = user
    }

    /// Creates an object that this user owns (CONFORMANCE G3).
    ///
    /// - Parameters:
    ///   - object: its name, with a class that was defined by ``define(classes:in:as:)``.
    ///   - value: at most 1 MiB as JSON.
    /// - Throws: `Refusal`: `alreadyExists`, `unknownClass`, `noPrivilege`, `malformed` or `tooLarge`; ``Muniment/StoreError`` or
    ///   `LogError`.
    @discardableResult
    public func create(_ object: Name, _ value: JSONValue? = nil) async throws -> Object {
        try await submit([.createObject(object, value: value)])
        return self.object(object)
    }

    /// Returns a handle for an object. Does not check whether the object exists.
    public func object(_ name: Name) -> Object { Object(name: name, ownership: self) }

    /// Returns the objects of a class that this user may read and query, sorted. Objects that the user may read but not query are
    /// omitted; the user can fetch them by name (CONFORMANCE G8).
    ///
    /// - Parameter className: the class, without `class:`.
    /// - Throws: `Refusal`: `unknownClass`; `noPrivilege` if this user may not query the class; ``Muniment/StoreError``.
    public func list(class className: String) throws -> [Name] {
        try store.read { try $0.list(class: className, as: user).map { Name($0) } }
    }

    @discardableResult
    func submit(_ changes: [Change]) async throws -> Receipt { try await store.commit(Transaction(user, changes)) }

    /// Reads the store if this user has a privilege on an object; throws a `Refusal` otherwise.
    func ask<R>(about object: Name, needing privilege: String, _ body: (Snapshot) throws -> R) throws -> R {
        try store.read { snapshot in
            guard try snapshot.exists(object) else {
                throw Refusal(.unknownObject, "the object `\(object)` does not exist: create it first, or check the name")
            }
            guard try snapshot.check(user, [privilege], on: object).isAllowed else {
                throw Refusal.lacking(privilege, on: object, isAnonymous: false)
            }
            return try body(snapshot)
        }
    }
}
