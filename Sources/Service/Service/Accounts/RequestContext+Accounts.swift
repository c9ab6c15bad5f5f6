internal import Events
internal import HTTPServer
internal import Identity
internal import Muniment

extension RequestContext {
    /// The access token of the request; empty without one.
    var access: String { request.header("Authorization").flatMap(Authenticator.bearer) ?? "" }

    /// The client group that failed attempts count against, in addition to the account.
    var source: String { ClientAddress.group(client) }

    /// Returns the arguments of an account route: the members of the body, or the parameters of the address. Others are refused.
    func accountArguments() throws -> Arguments {
        let address = Arguments(address: try query)
        if route.description.parameters.isEmpty { try address.finish() }
        return route.bodyLimitBytes > 0 ? try Arguments(body: try json()) : address
    }

    /// The response 204 for success without content.
    var done: HTTPResponse { HTTPResponse(status: 204, headers: [HTTPHeader("Cache-Control", "no-store")]) }

    /// Returns the response that an email with a code is being sent.
    func answer(codeSent attempt: String, _ ends: Instant) -> HTTPResponse {
        answer(["attempt": .string(attempt), "expiresAt": .time(ends)], status: 202)
    }
}

extension Arguments {
    mutating func provider() throws(Problem) -> ProviderID {
        let text = try text("provider")
        guard let provider = ProviderID(text) else {
            throw wrong("provider", "is not a provider name", "write one from `GET /v1/accounts/providers`")
        }
        return provider
    }

    mutating func object(_ name: String) throws(Problem) -> JSONObject {
        guard let value = value(name) else { throw wrong(name, "is missing", "add it") }
        guard case .object(let members) = value else { throw wrong(name, "is not a JSON object", "write one") }
        return members
    }

    /// Reads the client's name of its device.
    mutating func device() throws(Problem) -> String? {
        let device = try optionalText("device")
        guard (device?.utf8.count ?? 0) <= Session.deviceLimitBytes else {
            throw wrong("device", "has more than \(Session.deviceLimitBytes) bytes", "shorten it")
        }
        return device
    }

    /// Reads the new value of a text: the inner value is nil if null removes the text; the outer value is nil if the text does not
    /// change.
    mutating func change(_ name: String) throws(Problem) -> String?? {
        switch value(name) {
        case nil: nil
        case .null?: .some(nil)
        case _?: try text(name)
        }
    }
}
