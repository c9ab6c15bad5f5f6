internal import Events
internal import HTTPServer
internal import Histories
internal import Muniment
internal import Permissions

/// Changes that are made together.
enum TransactionRoute {
    static let route = Route(
        "POST", "/v1/stores/{store}/transactions", "commit", need: .store, bodyLimitBytes: 8 << 20,
        RouteDescription("makes changes, all of them or none", group: "Changes"),
        .asynchronous { call in
            let body = try call.json()
            let caller = try call.principal(named: try body.optionalText("as").map { Name($0) })
            guard case .array(let list)? = body["do"] else { throw Problem(.malformed, "`do` is no list of changes: write one") }
            let changes = try list.map { value in
                do { return try ChangeLine(value).change } catch { throw Problem(.malformed, "a change \(error)") }
            }
            let origin = Origin(requestID: call.requestID, idempotencyKey: call.request.header("Idempotency-Key"))
            let receipt = try await call.store.commit(Transaction(caller, changes, origin: origin))
            return call.answer(receipt.members)
        })
}

extension Receipt {
    var members: JSONObject {
        ["revision": revision.map(JSONValue.revision) ?? .null, "head": .revision(head), "time": .time(time)]
    }
}
