internal import Events
internal import NetworkClient
internal import Permissions

extension AuthManager {
    /// Deletes the account that is signed in, with what the operation names.
    ///
    /// The person is asked to show who they are before anything is deleted, where they have not done so lately.
    ///
    /// - Parameter operation: what goes first.
    /// - Returns: who was deleted.
    /// - Throws: ``DeleteAccountError``; the account is then as it was, unless its message says that this is not known.
    @discardableResult public func deleteAccount(
        with operation: DeleteAccountOperation = DeleteAccountOperation()
    ) async throws(DeleteAccountError) -> AuthUser {
        do throws(AuthError) {
            _ = try await perform(.confirmDeletion)
            for reference in operation.references { try await delete(reference) }
            return try await perform(.deleteAccount).requireUser()
        } catch {
            throw error == .cancelledByUser ? .cancelledByUser : .other("\(error)")
        }
    }

    /// Deletes objects in one transaction. The store names the first one that it does not have: it is gone already.
    private func delete(_ reference: StoreReference) async throws(AuthError) {
        var objects = reference.objects
        while !objects.isEmpty {
            let changes = objects.map { JSONValue.object(["op": .string("deleteObject"), "object": .string($0.text)]) }
            let path = "/v1/stores/\(FormText.escaped(reference.store))/transactions"
            let request = AuthRequest(.post, path, body: ["do": .array(changes)])
            let answer = try await perform(.store(request, isRepeatable: true)).requireAnswer()
            if answer.status == 200 { return }
            guard answer.object?.text("code") == "unknownObject", let index = answer.object?.integer("change"),
                objects.indices.contains(Int(index))
            else { throw AnswerProblem(answer).error }
            objects.remove(at: Int(index))
        }
    }
}
