internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions

extension Call {
    /// The idempotency key of the request; nil without one. A repeated request with the same key gets the first result.
    var idempotencyKey: String? {
        get throws(Problem) {
            guard let key = request.header("Idempotency-Key") else { return nil }
            guard !key.isEmpty, key.utf8.count <= Limits.originBytes else {
                throw Problem(.malformed, "`Idempotency-Key` has from 1 to \(Limits.originBytes) bytes: choose another")
            }
            return key
        }
    }

    /// Commits changes together. A repetition with the same idempotency key returns the first result: the store keeps the key with
    /// the commit.
    ///
    /// - Parameters:
    ///   - changes: the changes, to make all or none.
    ///   - actor: the principal that acts.
    ///   - comment: the comment in the log.
    /// - Throws: `Refusal`; ``Problem`` (`key-in-use`) while a request with the same key is running, and if the credential is not
    ///   valid at the writer's turn: the commits before it may have taken long.
    func commit(_ changes: [Change], as actor: Name, comment: String? = nil) async throws -> Receipt {
        let key = try idempotencyKey
        let scope = key.map { RunningKeys.Scope(store: hosted?.name ?? .default, caller: actor.text, key: $0) }
        let origin = Origin(requestID: requestID, idempotencyKey: key, comment: comment, credential: caller?.credential)
        let store = try store
        return try await service.runningKeys.withKey(scope) {
            try await service.runningCommits.during(actor) {
                var transaction = Transaction(actor, changes, origin: origin)
                if let caller {
                    let (authenticator, authorization) = (service.authenticator, request.header("Authorization"))
                    transaction.precondition = { try authenticator.requireStillGood(caller, authorization: authorization) }
                }
                return try await store.commit(transaction)
            }
        }
    }
}
