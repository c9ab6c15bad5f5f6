import Credentials
import Service

extension Option {
    fileprivate static let issuer = Option(
        "issuer", value: "URL=user:PREFIX/",
        "accept JWTs of this OpenID Connect issuer, the value of `iss`; its users are `user:PREFIX/` and their `sub`")
    fileprivate static let audience = Option(
        "audience", value: "TEXT", "with `--issuer`: the audience that `aud` of its JWTs must contain")
    fileprivate static let keys = Option(
        "jwks", value: "URL", "with `--issuer`: the address of its keys (default: from its discovery document)")
    fileprivate static let jwtType = Option(
        "jwt-type", value: "at+jwt|any",
        "with `--issuer`: the required `typ` of its JWTs (default: `at+jwt` after the first JWT with it)")
    static let issuerStores = Option(
        "issuer-stores", value: "NAME[,NAME…]", "with `--issuer`: the stores that its users may access (default: all)")
    static let anonymous = Option(
        "anonymous", value: "NAME[,NAME…]", "stores that accept callers without a token, as anonymous; `*` for all (default: none)")
    fileprivate static let certificate = Option(
        "tls-certificate", value: "FILE", "for HTTPS: the certificate and its chain, in PEM")
    fileprivate static let key = Option("tls-key", value: "FILE", "for HTTPS: the key of the certificate, in PEM")
    fileprivate static let insecure = Option(
        "insecure", "allow other machines to connect without TLS: tokens are sent unencrypted")

    /// The options of `serve` for authentication and TLS.
    static let callers: [Option] = [issuer, audience, keys, jwtType, issuerStores, anonymous, certificate, key, insecure]
}

extension Invocation {
    /// The callers that the service accepts in addition to those with a token.
    func callerSettings() throws -> CallerSettings {
        CallerSettings(
            issuer: try issuerSettings(), issuerStores: try stores(.issuerStores) ?? .all, anonymousStores: try stores(.anonymous))
    }

    private func issuerSettings() throws -> IssuerSettings? {
        guard let issuer = options[.issuer] else {
            if let option = [Option.audience, .keys, .jwtType, .issuerStores].first(where: { options[$0] != nil }) {
                throw UsageError("`\(option.usage)` requires `\(Option.issuer.usage)`; add it")
            }
            return nil
        }
        guard let audience = options[.audience] else {
            throw UsageError("the audience is missing, so JWTs for any service would be valid; write `\(Option.audience.usage)`")
        }
        do {
            let (address, prefix) = try Invocation.issuerParts(issuer)
            var settings = try IssuerSettings(issuer: address, audience: audience, jwksAddress: options[.keys])
            settings.userPrefix = prefix
            settings.accessTokenType =
                try options.value(of: .jwtType) { text -> AccessTokenType in
                    switch text {
                    case "at+jwt": .required
                    case "any": .optional
                    default: throw UsageError("`\(text)` is not a type of JWT; write `at+jwt` or `any`")
                    }
                } ?? .onceSeen
            return settings
        } catch let error as IssuerSettingsError {
            throw UsageError(error.description)
        }
    }

    /// Returns the address and the prefix in `URL=PREFIX`; nil for a missing prefix.
    private static func issuerParts(_ text: String) throws(IssuerSettingsError) -> (address: String, prefix: UserPrefix?) {
        guard let sign = text.lastIndex(of: "=") else { return (text, nil) }
        return (String(text[..<sign]), try UserPrefix(String(text[text.index(after: sign)...])))
    }

    /// Returns a warning for an issuer without a prefix; nil without such an issuer.
    var issuerWarning: String? {
        guard let issuer = options[.issuer], !issuer.contains("=") else { return nil }
        return
            "--issuer: `\(issuer)` can name every user of a store, except administrators and users of accounts, because it has no "
            + "prefix; write `\(issuer)=user:corp/` and grant access to the names below `user:corp/`, or `\(issuer)=user:` if all users "
            + "are users of this issuer"
    }

    /// Returns the stores in an option; nil if it is missing.
    func stores(_ option: Option) throws -> StoreScope? {
        try options.value(of: option) { text -> StoreScope in
            let names = Values.list(text)
            guard names != ["*"] else { return .all }
            guard !names.isEmpty, names.allSatisfy(StoreScope.isStoreName) else {
                throw UsageError("`\(text)` contains no store name; write store names separated by commas, or `*` for all")
            }
            return .named(names)
        }
    }

    /// Returns the certificate and key for TLS; nil for plain HTTP. Other machines can use plain HTTP only if an option permits it.
    func tlsPaths(listeningOn endpoint: Endpoint) throws -> TLSPaths? {
        switch (options[.certificate], options[.key]) {
        case (let certificate?, let key?):
            guard !options.isSet(.insecure) else {
                throw UsageError("`--insecure` is only for connections without TLS; omit it")
            }
            return TLSPaths(certificate: certificate, key: key)
        case (nil, nil):
            guard endpoint.isLoopback || options.isSet(.insecure) else {
                throw UsageError(
                    "other machines can connect to \(endpoint.address), and tokens would be unencrypted; give "
                        + "`\(Option.certificate.usage)` and `\(Option.key.usage)`, or `--insecure` if a proxy encrypts"
                )
            }
            return nil
        default: throw UsageError("a certificate requires its key; give both `--tls-certificate` and `--tls-key`")
        }
    }
}

extension Endpoint {
    /// Whether only this machine can connect.
    fileprivate var isLoopback: Bool {
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return address == "::1" || (parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil })
    }
}
