internal import Events
internal import HTTPServer
internal import Identity
internal import Muniment

extension Call {
    /// The access token that the request comes with; empty where there is none.
    var access: String { request.header("Authorization").flatMap(Authenticator.bearer) ?? "" }

    /// Whom attempts are counted against besides the account that they are for.
    var source: String { FailureLimit.group(client) }

    /// The members of the body, and nothing in the address.
    func bodyArguments() throws -> Arguments {
        try Arguments(address: try query).finish()
        return try Arguments(body: try json())
    }

    /// Done, and there is nothing to say about it.
    var done: HTTPResponse { HTTPResponse(status: 204, headers: [HTTPHeader("Cache-Control", "no-store")]) }

    /// A mail with a code is on its way.
    func answer(codeSent attempt: String, _ ends: Instant) -> HTTPResponse {
        answer(["attempt": .string(attempt), "ends": .time(ends)], status: 202)
    }
}

extension Arguments {
    mutating func provider() throws(Problem) -> ProviderID {
        let text = try text("provider")
        guard let provider = ProviderID(text) else {
            throw wrong("provider", "is no name of a provider", "write one that `GET /v1/accounts/providers` lists")
        }
        return provider
    }

    mutating func object(_ name: String) throws(Problem) -> JSONObject {
        guard let value = value(name) else { throw wrong(name, "is missing", "add it") }
        guard case .object(let members) = value else { throw wrong(name, "is no JSON object", "write one") }
        return members
    }

    /// What the client calls the device that it is on.
    mutating func device() throws(Problem) -> String? {
        let device = try optionalText("device")
        guard (device?.utf8.count ?? 0) <= Session.deviceLimitBytes else {
            throw wrong("device", "has more than \(Session.deviceLimitBytes) bytes", "shorten it")
        }
        return device
    }

    /// What a text is to be from now on: nil within where null takes it away; nil where it stays as it is.
    mutating func change(_ name: String) throws(Problem) -> String?? {
        switch value(name) {
        case nil: nil
        case .null?: .some(nil)
        case _?: try text(name)
        }
    }
}
