public import Primitives

extension AuthManager {
    /// Deletes the signed-in account and the store objects that the operation names.
    ///
    /// The service is asked first whether the sign-in is recent. If it is not, or stays recent for less than a minute, the user
    /// must reauthenticate before anything is deleted.
    ///
    /// - Parameter operation: the objects to delete before the account.
    /// - Returns: the user who was deleted.
    /// - Throws: ``DeleteAccountError``. The account is then unchanged, unless the message says that the outcome is unknown.
    @discardableResult public func deleteAccount(
        with operation: DeleteAccountOperation = DeleteAccountOperation()
    ) async throws(DeleteAccountError) -> AuthUser {
        var gone: [StoreReference] = []
        do throws(AuthError) {
            _ = try await perform(.confirmDeletion)
            for reference in operation.references {
                try await delete(reference)
                gone.append(reference)
            }
            return try await perform(.deleteAccount).requireUser()
        } catch {
            guard error == .cancelledByUser else { throw .other("\(error)") }
            let objects = gone.flatMap { reference in reference.objects.map { "`\($0.text)` in `\(reference.store)`" } }
            if objects.isEmpty { throw .cancelledByUser }
            throw .other(
                "it was cancelled after \(objects.joined(separator: ", ")) had been deleted; the account is unchanged: run it again to "
                    + "delete the rest")
        }
    }

    /// Deletes objects in one transaction. If the store reports that an object does not exist, that object counts as deleted.
    private func delete(_ reference: StoreReference) async throws(AuthError) {
        var objects = reference.objects
        while !objects.isEmpty {
            let changes = objects.map { JSONValue.object(["op": .string("deleteObject"), "object": .string($0.text)]) }
            let path = "/v1/stores/\(reference.store.percentEncoded)/transactions"
            let request = AuthRequest(.post, path, body: ["do": .array(changes)])
            let answer = try await perform(.store(request, isRepeatable: true)).requireAnswer()
            if answer.status == 200 { return }
            guard answer.object?.text("code") == "unknownObject", let index = answer.object?.integer("change"),
                objects.indices.contains(Int(index))
            else { throw ServiceProblem(answer).authError }
            objects.remove(at: Int(index))
        }
    }
}

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
