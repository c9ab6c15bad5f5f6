internal import Events
public import Permissions
internal import Synchronization

/// Objects that their users share with each other or make public, as the current user sees them.
///
/// ```swift
/// try await SharedObjects.define(class: "note", in: store, as: "user:root")
/// let notes = SharedObjects(in: store, class: "note")
/// try await notes.setCurrentUser("user:ann")
/// try await notes.save(.object(["text": .string("Hello")]), id: "hello", isPublic: false, users: ["user:bob"])
/// ```
///
/// An object belongs to the users that it is shared with, its specified users: they read, change and delete it, and say who else
/// may. A public object can be read by everyone who is signed in. That is an entry for each specified user, and one for
/// `everyone`; every call is an ordinary command or question, made as the current user.
public final class SharedObjects: Sendable {
    public let store: Store
    /// The class of these objects, without `class:`.
    public let className: String
    private let user = Mutex<Name?>(nil)

    /// A way to the objects of a class that was defined with ``define(class:in:as:)``; nobody is signed in at first.
    ///
    /// - Parameters:
    ///   - store: where they are kept; opened for writing where anything is to be changed.
    ///   - className: the class, without `class:`.
    public init(in store: Store, class className: String) {
        self.store = store
        self.className = className
    }

    /// What a specified user has on an object.
    public static let specifiedUserPrivileges = ["read", "query", "update", "delete", "setPermissions"]
    /// What everyone who is signed in has on a public object.
    public static let publicPrivileges = ["read", "query"]

    /// The name of one of these objects: `note:hello` for the id `hello`.
    public func name(of id: String) -> Name { Name(className + ":" + id) }
}

/// Who is signed in.
extension SharedObjects {
    /// Who is signed in; nil while nobody is, and then every call is refused (CONFORMANCE F1).
    public var currentUser: Name? { user.withLock { $0 } }

    /// Says who is signed in from now on. The one who comes is known to the store afterwards, so that others can share with them.
    ///
    /// Whether they are who they say they are is for the caller to find out. What is on its way goes on as the user before.
    ///
    /// - Parameter newUser: a user or a thing; nil to sign out.
    /// - Throws: `Refusal` with `malformed` for a name that cannot act, and then nobody is signed in; ``StoreError`` or `LogError`
    ///   where the store cannot write.
    public func setCurrentUser(_ newUser: Name?) async throws {
        user.withLock { $0 = nil }
        guard let newUser else { return }
        try await store.connect(newUser)
        user.withLock { $0 = newUser }
    }

    /// The current user, for a question.
    func signedIn() throws(Refusal) -> Name {
        guard let currentUser else { throw SharedObjects.notSignedIn }
        return currentUser
    }

    /// Carries out changes as the current user.
    ///
    /// Without one they are put to the store as `anonymous`, so that the attempt is recorded. The last of them is then one that
    /// nobody can make: nothing comes of the others even where `anonymous` has been given something.
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
    /// Makes a user or a thing known, by a transaction of nothing, where it is not.
    func connect(_ caller: Name) async throws {
        if caller.isWellFormed, caller.kind == .caller, try read({ try $0.exists(caller) }) { return }
        try await commit(Transaction(caller, []))
    }
}
