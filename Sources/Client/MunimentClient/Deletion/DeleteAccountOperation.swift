public import Primitives

/// Objects in one store that belong to the user and are deleted with the account.
public struct StoreReference: Hashable, Sendable {
    /// The name of the store that contains the objects.
    public let store: String
    /// The objects to delete, each before its ancestors.
    public let objects: [Name]

    /// - Parameters:
    ///   - store: the name of the store.
    ///   - objects: the objects to delete, each before its ancestors.
    public init(_ objects: [Name], in store: String = "default") {
        self.store = store
        self.objects = objects
    }
}

/// Deletes an account: first the user's objects in stores, then the account itself (CONFORMANCE I8).
///
/// The objects of each store are deleted in one transaction, with the user as caller. If one transaction fails, the account is
/// unchanged. The operation can then be passed to ``AuthManager/deleteAccount(with:)`` again; objects that are already deleted are
/// skipped.
public struct DeleteAccountOperation: Hashable, Sendable {
    public let references: [StoreReference]

    /// - Parameter references: the objects to delete before the account.
    public init(references: [StoreReference] = []) { self.references = references }
}

/// The reason why an account was not deleted.
public enum DeleteAccountError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The user cancelled before anything was deleted.
    case cancelledByUser
    /// Another error. The text says why and what to do next.
    case other(String)

    public var description: String {
        switch self {
        case .cancelledByUser: "it was cancelled, and the account is unchanged"
        case .other(let message): message
        }
    }
}
