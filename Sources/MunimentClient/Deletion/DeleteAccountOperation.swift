public import Permissions

/// Objects of a store that belong to the person and go with the account.
public struct StoreReference: Hashable, Sendable {
    /// The store that they are in.
    public let store: String
    /// Which objects, each before what it stands below.
    public let objects: [Name]

    /// - Parameters:
    ///   - store: the name of the store.
    ///   - objects: which objects, each before what it stands below.
    public init(_ objects: [Name], in store: String = "default") {
        self.store = store
        self.objects = objects
    }
}

/// Deletes an account: what the person has in stores first, then the account itself (CONFORMANCE I8).
///
/// Each store's objects go in one transaction, made as the person. Where one fails, the account is as it was, and the operation can be
/// given to ``AuthManager/deleteAccount(with:)`` again: what is gone already is passed over.
public struct DeleteAccountOperation: Hashable, Sendable {
    public let references: [StoreReference]

    /// - Parameter references: what is deleted before the account.
    public init(references: [StoreReference] = []) { self.references = references }
}

/// Why an account was not deleted.
public enum DeleteAccountError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Before anything was deleted.
    case cancelledByUser
    /// Why, and what to do next.
    case other(String)

    public var description: String {
        switch self {
        case .cancelledByUser: "it was cancelled, and the account is as it was"
        case .other(let message): message
        }
    }
}
