public import Events

/// What an OpenID provider sent the person back with: the code of one sign-in there, good once.
public struct OpenIDIdentityProvider: IdentityProvider {
    public let providerID: IdentityProviderID
    public let evidence: JSONObject
    public var isReusable: Bool { false }

    init(providerID: IdentityProviderID, evidence: JSONObject) {
        self.providerID = providerID
        self.evidence = evidence
    }

    /// A sign-in at another site that was begun: ``AuthManager/beginOpenID(_:redirectURI:isReauthentication:)`` makes one.
    public struct Beginning: Hashable, Sendable {
        public let providerID: IdentityProviderID
        /// The address to open in the person's browser.
        public let authorizationURL: String
        /// Where the browser is sent in the end, as the service was told it.
        let redirectURI: String
        let attempt: String

        /// What the person came back with.
        ///
        /// - Parameter redirect: the whole address that the browser was sent to in the end.
        /// - Throws: ``AuthError/cancelledByUser`` where the person refused there, ``AuthError/malformed(_:)`` where the address is none
        ///   of a sign-in that succeeded, or is another than the sign-in was begun with.
        public func finish(redirectedTo redirect: String) throws(AuthError) -> OpenIDIdentityProvider {
            // What comes back elsewhere is an answer of another provider, which this one must not see (RFC 9700, section 4.4).
            guard RedirectPlace(redirect).isReturn(to: RedirectPlace(redirectURI)) else {
                throw .malformed(
                    "the browser did not come back to `\(redirectURI)`; hand over the whole address that it was sent to, to the "
                        + "beginning that is for it")
            }
            let answer = RedirectAnswer(redirect)
            if let error = answer["error"] {
                if error == "access_denied" { throw .cancelledByUser }
                throw .malformed("`\(providerID)` answers `\(error.prefix(80))`; begin the sign-in anew")
            }
            guard let code = answer["code"], let state = answer["state"] else {
                throw .malformed("the address has no `code` and `state`; hand over the whole address that the browser was sent to")
            }
            var evidence: JSONObject = [
                "attempt": .string(attempt), "code": .string(code), "state": .string(state), "redirectURI": .string(redirectURI),
            ]
            if let issuer = answer["iss"] { evidence["iss"] = .string(issuer) }
            return OpenIDIdentityProvider(providerID: providerID, evidence: evidence)
        }
    }
}

/// Where an address leads, without what is put behind it: browsers write scheme and host small, and an empty path as `/`.
private struct RedirectPlace {
    private let place: String
    private let query: Substring

    init(_ address: String) {
        let parts = address.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        query = parts.count == 2 ? parts[1] : ""
        let scheme = parts[0].prefix { $0 != ":" }
        let rest = parts[0].dropFirst(scheme.count)
        guard rest.hasPrefix("://") else {
            place = scheme.lowercased() + rest
            return
        }
        let host = rest.dropFirst(3).prefix { $0 != "/" }
        let path = rest.dropFirst(3 + host.count)
        place = scheme.lowercased() + "://" + host.lowercased() + (path.isEmpty ? "/" : path)
    }

    /// Whether somebody who was to come back to a place has come there. What that has behind its `?` comes first.
    func isReturn(to begun: RedirectPlace) -> Bool {
        place == begun.place && (begun.query.isEmpty || query.hasPrefix(begun.query + "&"))
    }
}

/// The parameters that an address has behind its `?`.
struct RedirectAnswer {
    private var parameters: [String: String] = [:]

    /// - Parameter address: any text. Of a parameter that stands there twice nothing is taken (RFC 6749, section 3.1).
    init(_ address: String) {
        let query = address.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        var repeated: Set<String> = []
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = RedirectAnswer.decoded(parts[0]), let value = RedirectAnswer.decoded(parts[1]) else {
                continue
            }
            if parameters.updateValue(value, forKey: name) != nil { repeated.insert(name) }
        }
        for name in repeated { parameters[name] = nil }
    }

    subscript(name: String) -> String? { parameters[name] }

    /// Percent-decoded, with a `+` for a blank, as forms are written; nil for what is not.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                    return nil
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
