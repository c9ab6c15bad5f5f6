internal import Events
public import Muniment
public import Permissions
internal import Synchronization

/// Objects that users share with each other or make public, as seen by the current user.
///
/// ```swift
/// try await SharedObjects.define(class: "note", in: store, as: "user:root")
/// let notes = SharedObjects(in: store, class: "note")
/// try await notes.setCurrentUser("user:ann")
/// try await notes.save(.object(["text": .string("Hello")]), id: "hello", isPublic: false, users: ["user:bob"])
/// ```
///
/// An object belongs to the users that it is shared with, its specified users. They read, change and delete it, and decide who else
/// may. Everyone who is signed in can read a public object. The store has one entry for each specified user, and one for
/// `everyone`. Every call is an ordinary command or query of the current user.
public final class SharedObjects: Sendable {
    public let store: Store
    /// The class of these objects, without `class:`.
    public let className: String
    private let user = Mutex<Name?>(nil)

    /// Creates access to the objects of a class that was defined with ``define(class:in:as:)``. At first, no user is signed in.
    ///
    /// - Parameters:
    ///   - store: the store of the objects; open for writing to make changes.
    ///   - className: the class, without `class:`.
    public init(in store: Store, class className: String) {
        self.store = store
        self.className = className
    }

    /// The privileges of a specified user on an object.
    public static let specifiedUserPrivileges = ["read", "query", "update", "delete", "setPermissions"]
    /// The privileges of everyone who is signed in on a public object.
    public static let publicPrivileges = ["read", "query"]

    /// Returns the name of an object: `note:hello` for the id `hello`.
    public func name(of id: String) -> Name { Name(className + ":" + id) }
}

/// Manages the current user.
extension SharedObjects {
    /// The signed-in user; nil if no user is signed in, and then every call is refused (CONFORMANCE F1).
    public var currentUser: Name? { user.withLock { $0 } }

    /// Sets the signed-in user. Registers the new user in the store, so that others can share with it.
    ///
    /// The caller must authenticate the user. Calls that have already begun continue as the previous user.
    ///
    /// - Parameter newUser: a user or a thing; nil to sign out.
    /// - Throws: `Refusal` with `malformed` for a name that cannot act, and then no user is signed in; ``Muniment/StoreError`` or
    ///   `LogError` if the store cannot write.
    public func setCurrentUser(_ newUser: Name?) async throws {
        user.withLock { $0 = nil }
        guard let newUser else { return }
        try await store.connect(newUser)
        user.withLock { $0 = newUser }
    }

    /// Returns the current user for a query.
    func signedIn() throws(Refusal) -> Name {
        guard let currentUser else { throw SharedObjects.notSignedIn }
        return currentUser
    }

    /// Commits changes as the current user.
    ///
    /// Without a current user, the changes are sent to the store as `anonymous`, so that the attempt is recorded. An additional
    /// last change always fails. So no change takes effect, even if `anonymous` has some privileges.
    func submit(_ changes: [Change]) async throws -> Receipt {
        if let currentUser { return try await store.commit(Transaction(currentUser, changes)) }
        let impossible = Change.appointAdministrator(.anonymous)
        let attempt = Transaction(.anonymous, changes + [impossible], origin: Origin(comment: "no current user"))
        do { try await store.commit(attempt) } catch is Refusal {}
        throw SharedObjects.notSignedIn
    }

    private static let notSignedIn = Refusal(
        .notAuthenticated, "shared objects are for users who are signed in: set the current user first")
}

extension Store {
    /// Registers an unknown user or thing with an empty transaction.
    func connect(_ caller: Name) async throws {
        if caller.isWellFormed, caller.kind == .caller, try read({ try $0.exists(caller) }) { return }
        try await commit(Transaction(caller, []))
    }
}
