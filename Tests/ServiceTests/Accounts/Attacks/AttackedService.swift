import Events
import Identity
import Secrets
import ServiceSupport

@testable import Service

/// Runs a test with a service that has accounts and hashes passwords quickly, called over sockets.
func withTarget(
    _ change: (inout AccountServiceSettings) -> Void = { _ in }, service: (inout ServiceSettings) -> Void = { _ in },
    _ body: (AccountsFixture) async throws -> Void
) async throws {
    try await withAccounts { settings in
        if var options = settings.accounts {
            options.settings.passwordHash = PasswordHash.Settings(memoryKiB: 8, passes: 1)
            change(&options)
            settings.accounts = options
        }
        service(&settings)
    } _: { fixture in
        try await body(fixture)
    }
}

extension AccountsFixture {
    /// Returns a client of the service that calls from another loopback address of this machine.
    func door(from address: String) throws -> Curl {
        Curl("http://127.0.0.1:\(try service.listen())", options: ["--interface", address])
    }

    /// Returns another user's client, with the same mailboxes.
    func client(from address: String) throws -> AccountsClient { AccountsClient(try door(from: address), mails) }

    /// Begins a sign-up, and leaves the code in the mailbox.
    func beginSignUp(_ email: String, password: String = "a long password") async throws -> (attempt: String, code: String) {
        try await sentCode(to: email) {
            try await client.post("/v1/accounts/sign-up", JSONObject.signingIn(email, password))
        }
    }

    func beginReset(_ email: String) async throws -> (attempt: String, code: String) {
        try await sentCode(to: email) { try await client.post("/v1/accounts/reset", ["email": .string(email)]) }
    }

    func beginEmailChange(_ email: String, as access: String) async throws -> (attempt: String, code: String) {
        try await sentCode(to: email) {
            try await client.send("PUT", "/v1/account/email", ["email": .string(email)], as: access)
        }
    }

    private func sentCode(
        to email: String, _ ask: () async throws -> ServiceSupport.Answer
    ) async throws -> (attempt: String, code: String) {
        let sent = mails.all.count
        let answer = try await ask()
        guard let attempt = try answer.json.text("attempt") else { throw NoAttempt(answer: answer.text) }
        return (attempt, try await mails.nextCode(to: email, after: sent))
    }

    private struct NoAttempt: Error { let answer: String }

    func verify(_ attempt: String, _ code: String) async throws -> ServiceSupport.Answer {
        try await client.post("/v1/accounts/sign-up/confirm", ["attempt": .string(attempt), "code": .string(code)])
    }

    func confirmReset(
        _ attempt: String, _ code: String, password: String = "another long one"
    ) async throws -> ServiceSupport.Answer {
        try await client.post(
            "/v1/accounts/reset/confirm",
            ["attempt": .string(attempt), "code": .string(code), "password": .string(password)])
    }

    func confirmEmail(_ attempt: String, _ code: String, as access: String) async throws -> ServiceSupport.Answer {
        try await client.post(
            "/v1/account/email/confirm", ["attempt": .string(attempt), "code": .string(code)], as: access)
    }

    func refresh(_ token: String, nonce: String) async throws -> ServiceSupport.Answer {
        try await client.post("/v1/accounts/refresh", ["refreshToken": .string(token), "nonce": .string(nonce)])
    }

    /// Returns the status of a request with an access token.
    func status(of access: String) async throws -> Int { try await client.send("GET", "/v1/account", as: access).status }

    /// Returns the sign-in methods of the session's account.
    func signInMethods(_ access: String) async throws -> [String] {
        try await client.send("GET", "/v1/account", as: access).json.list("identities").compactMap { $0.text("provider") }
    }

    /// Returns the number of passwords that the service has hashed, from its metrics.
    func hashCount() async throws -> Int {
        let text = try await service.direct.send("GET", "/metrics", token: try service.administrator()).text
        let line = text.split(separator: "\n").first { $0.hasPrefix("muniment_password_hashes_total ") }
        guard let count = line?.split(separator: " ").last.flatMap({ Int($0) }) else { throw NoFigure() }
        return count
    }

    private struct NoFigure: Error {}
}

extension JSONObject {
    /// Returns the body of a password sign-in or sign-up.
    static func signingIn(_ email: String, _ password: String) -> JSONObject {
        [
            "provider": .string("password"),
            "evidence": .object(["email": .string(email), "password": .string(password)]),
        ]
    }

    /// Returns the body of a sign-in or sign-up with ``SiteProvider``.
    static func bySite(_ user: String, email: String? = nil, isVerified: Bool = true) -> JSONObject {
        var evidence: JSONObject = ["user": .string(user), "isVerified": .bool(isVerified)]
        if let email { evidence["email"] = .string(email) }
        return ["provider": .string("site"), "evidence": .object(evidence)]
    }
}

/// An external site that identifies users. The evidence says whether the site has verified the email.
struct SiteProvider: IdentityProvider {
    let id = ProviderID("site") ?? .password
    let priority = 3

    func begin(_ request: JSONObject, at now: Instant) throws(ProviderError) -> JSONObject? { nil }

    func authenticate(
        _ evidence: JSONObject, for purpose: AuthenticationPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
    ) throws(ProviderError) -> VerifiedIdentity {
        guard case .string(let user)? = evidence["user"] else { throw .malformed("`user` is missing") }
        var email: (address: EmailAddress, isVerified: Bool)?
        if case .string(let text)? = evidence["email"], let address = EmailAddress(text) {
            email = (address, evidence["isVerified"] == .bool(true))
        }
        return VerifiedIdentity(key: IdentityKey(Array(user.utf8)), label: user, email: email, authenticatedAt: now)
    }
}
