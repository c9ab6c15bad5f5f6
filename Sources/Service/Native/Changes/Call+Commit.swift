internal import Events
internal import HTTPServer
internal import Muniment
internal import Permissions

extension Call {
    /// The key that makes a repetition of this request answer its first result; nil where there is none.
    var idempotencyKey: String? {
        get throws(Problem) {
            guard let key = request.header("Idempotency-Key") else { return nil }
            guard !key.isEmpty, key.utf8.count <= Limits.originBytes else {
                throw Problem(.malformed, "`Idempotency-Key` has from 1 to \(Limits.originBytes) bytes: choose another")
            }
            return key
        }
    }

    /// Makes changes together. With an idempotency key a repetition answers the first result: the store keeps the key with the commit.
    ///
    /// - Parameters:
    ///   - changes: the changes, all of which are made or none.
    ///   - actor: who acts.
    ///   - comment: what the log is to say of it.
    /// - Throws: `Refusal`; ``Problem`` (`key-in-use`) while the same key is at work, and where what the request came with is over by
    ///   the writer's turn: the commits before it may have taken long.
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
