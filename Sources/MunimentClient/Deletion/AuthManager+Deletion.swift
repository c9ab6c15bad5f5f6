internal import Events
internal import NetworkClient
internal import Permissions

extension AuthManager {
    /// Deletes the account that is signed in, with what the operation names.
    ///
    /// The service is asked first whether the person has shown lately who they are; where not, or where that is over in less than a
    /// minute, the person is asked before anything is deleted.
    ///
    /// - Parameter operation: what goes first.
    /// - Returns: who was deleted.
    /// - Throws: ``DeleteAccountError``; the account is then as it was, unless its message says that this is not known.
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
                "it was cancelled when \(objects.joined(separator: ", ")) had been deleted; the account is as it was: run it again to "
                    + "delete the rest")
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
