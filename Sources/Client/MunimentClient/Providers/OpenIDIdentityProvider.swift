internal import Foundation
public import Primitives

/// The authorization code that an OpenID provider returned. It can be used once.
public struct OpenIDIdentityProvider: IdentityProvider {
    public let providerID: IdentityProviderID
    public let evidence: JSONObject
    public var isReusable: Bool { false }

    init(providerID: IdentityProviderID, evidence: JSONObject) {
        self.providerID = providerID
        self.evidence = evidence
    }

    /// A started sign-in at an OpenID provider, made by ``AuthManager/beginOpenID(_:redirectURI:isReauthentication:)``.
    public struct Beginning: Hashable, Sendable {
        public let providerID: IdentityProviderID
        /// The address to open in the user's browser.
        public let authorizationURL: String
        /// The redirect URI that was sent to the service.
        let redirectURI: String
        let attempt: String

        /// Returns the evidence from the redirect.
        ///
        /// - Parameter redirect: the complete address of the redirect.
        /// - Throws: ``AuthError/cancelledByUser`` if the user refused. ``AuthError/malformed(_:)`` if the address is not a
        ///   successful redirect, or differs from the redirect URI of this sign-in.
        public func finish(redirectedTo redirect: String) throws(AuthError) -> OpenIDIdentityProvider {
            // A response at another redirect URI belongs to another provider, which this one must not see (RFC 9700, section 4.4).
            guard RedirectPlace(redirect).isReturn(to: RedirectPlace(redirectURI)) else {
                throw .malformed(
                    "the browser did not return to `\(redirectURI)`; pass the full address of the redirect to the sign-in "
                        + "that started it")
            }
            let answer = RedirectAnswer(redirect)
            if let error = answer["error"] {
                if error == "access_denied" { throw .cancelledByUser }
                throw .malformed("`\(providerID)` returned the error `\(error.prefix(80))`; start the sign-in again")
            }
            guard let code = answer["code"], let state = answer["state"] else {
                throw .malformed("the address has no `code` and `state`; pass the full address of the redirect")
            }
            var evidence: JSONObject = [
                "attempt": .string(attempt), "code": .string(code), "state": .string(state), "redirectURI": .string(redirectURI),
            ]
            if let issuer = answer["iss"] { evidence["iss"] = .string(issuer) }
            return OpenIDIdentityProvider(providerID: providerID, evidence: evidence)
        }
    }
}

/// An address without its query and fragment. Browsers write scheme and host in lowercase, and an empty path as `/`.
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

    /// Whether this address matches the redirect URI. Parameters in the query of the redirect URI must come first.
    func isReturn(to begun: RedirectPlace) -> Bool {
        place == begun.place && (begun.query.isEmpty || query.hasPrefix(begun.query + "&"))
    }
}

/// The query parameters of an address.
struct RedirectAnswer {
    private var parameters: [String: String] = [:]

    /// - Parameter address: any text. A parameter that occurs twice is ignored (RFC 6749, section 3.1).
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

    /// Decodes percent-encoding and `+` as a blank, as in HTML forms; returns nil for invalid input.
    private static func decoded(_ text: Substring) -> String? { text.replacing("+", with: " ").removingPercentEncoding }
}
