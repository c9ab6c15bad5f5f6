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
}

extension Argument<ProviderID> {
    static var provider: Argument {
        Argument("provider", "", Schema.provider, isRequired: true) { try $0.provider() }
    }
}

extension Argument<JSONObject> {
    static var evidence: Argument {
        Argument("evidence", "", Schema.named("Evidence"), isRequired: true) { arguments in
            guard let value = arguments.value("evidence") else { throw arguments.wrong("evidence", "is missing", "add it") }
            guard case .object(let members) = value else {
                throw arguments.wrong("evidence", "is not a JSON object", "write one")
            }
            return members
        }
    }

    /// All other members, which the provider reads.
    static var beginning: Argument {
        Argument(parameters: [.query("redirectURI", ""), .query("purpose", "")]) { arguments, _ in
            let rest = arguments.rest
            for name in rest.keys { _ = arguments.value(name) }
            return rest
        }
    }
}

extension Argument<String?> {
    /// The client's name of its device.
    static var device: Argument {
        Argument("device", "") { arguments in
            let device = try arguments.optionalText("device")
            guard (device?.utf8.count ?? 0) <= Session.deviceLimitBytes else {
                throw arguments.wrong("device", "has more than \(Session.deviceLimitBytes) bytes", "shorten it")
            }
            return device
        }
    }
}

extension Argument<String??> {
    /// The new value of a text: the inner value is nil if null removes the text; the outer value is nil if the text does not change.
    static func change(_ name: String) -> Argument {
        Argument(name, "", Schema.orNull(Schema.text)) { arguments in
            switch arguments.value(name) {
            case nil: nil
            case .null?: .some(nil)
            case _?: try arguments.text(name)
            }
        }
    }
}
