internal import Primitives

/// All jobs that a manager can run.
extension AuthJob {
    static func signUp(
        with provider: some IdentityProvider, displayName: String?, picture: String?, device: String?
    ) -> AuthJob {
        var body = shown(provider)
        if let displayName { body["displayName"] = .string(displayName) }
        if let picture { body["picture"] = .string(picture) }
        if let device { body["device"] = .string(device) }
        return open("sign-up", body, .signUp, of: provider)
    }

    static func signIn(with provider: some IdentityProvider, device: String?) -> AuthJob {
        var body = shown(provider)
        if let device { body["device"] = .string(device) }
        return open("sign-in", body, .signIn(provider.providerID), of: provider)
    }

    /// Starts a flow that a provider needs before there is evidence. It is safe to repeat: an unused attempt expires.
    static func begin(_ provider: IdentityProviderID, _ request: JSONObject) -> AuthJob {
        var body = request
        body["provider"] = .string(provider.text)
        var job = open("begin", body, .object)
        job.repetition = .always
        return job
    }

    static func verify(_ attempt: String, _ code: String, device: String?) -> AuthJob {
        confirming("sign-up/confirm", ["attempt": .string(attempt), "code": .string(code)], device, .signUp)
    }

    static func requestReset(_ email: String) -> AuthJob { open("reset", ["email": .string(email)], .sentCode(.reset)) }

    static func confirmReset(_ attempt: String, _ code: String, password: String, device: String?) -> AuthJob {
        let body: JSONObject = ["attempt": .string(attempt), "code": .string(code), "password": .string(password)]
        return confirming("reset/confirm", body, device, .reset)
    }

    static let providers = AuthJob(
        request: AuthRequest(.get, "/v1/accounts/providers"), needsSession: false, repetition: .always, reading: .object)

    static func reauthenticate(with provider: some IdentityProvider, for challenge: UInt64? = nil) -> AuthJob {
        AuthJob(
            request: AuthRequest(.post, "/v1/account/reauthenticate", body: shown(provider)),
            repetition: provider.isReusable ? .unlessReceived : .unlessSent, challenge: challenge, reading: .reauthentication)
    }

    static func updateProfile(_ changes: JSONObject) -> AuthJob {
        AuthJob(request: AuthRequest(.patch, "/v1/account", body: changes), repetition: .always, reading: .account)
    }

    static func link(with provider: some IdentityProvider) -> AuthJob {
        AuthJob(
            request: AuthRequest(.post, "/v1/account/identities", body: shown(provider)), change: .link(provider.providerID),
            repetition: provider.isReusable ? .unlessReceived : .unlessSent, reading: .account)
    }

    static func unlink(_ provider: IdentityProviderID) -> AuthJob {
        AuthJob(
            request: AuthRequest(.delete, "/v1/account/identities/" + provider.text.percentEncoded),
            change: .unlink(provider), reading: .account)
    }

    static func setPassword(_ password: String) -> AuthJob {
        AuthJob(
            request: AuthRequest(.post, "/v1/account/password", body: ["password": .string(password)]), change: .setPassword,
            reading: .account)
    }

    /// Always repeatable: setting the same password twice has the same result.
    static func updatePassword(_ password: String) -> AuthJob {
        AuthJob(
            request: AuthRequest(.put, "/v1/account/password", body: ["password": .string(password)]), change: .updatePassword,
            repetition: .always, reading: .account)
    }

    static func updateEmail(to email: String) -> AuthJob {
        AuthJob(
            request: AuthRequest(.put, "/v1/account/email", body: ["email": .string(email)]), change: .updateEmail(to: email),
            reading: .sentCode(.email))
    }

    static func confirmEmail(_ attempt: String, _ code: String, as email: String) -> AuthJob {
        AuthJob(
            request: AuthRequest(
                .post, "/v1/account/email/confirm", body: ["attempt": .string(attempt), "code": .string(code)]),
            change: .updateEmail(to: email), reading: .emailConfirmed)
    }

    /// Checks that the sign-in is recent before data is deleted that cannot be restored. It asks the service, because the client
    /// knows neither the limit nor the clock of the service.
    static let confirmDeletion = AuthJob(
        request: AuthRequest(.get, "/v1/account/recent-sign-in"), change: .deleteAccount, repetition: .always,
        reading: .recentSignIn)
    static let deleteAccount = AuthJob(
        request: AuthRequest(.delete, "/v1/account"), change: .deleteAccount, reading: .deleted)

    static let reload = AuthJob(request: AuthRequest(.get, "/v1/account"), repetition: .always, reading: .account)
    static let accessToken = AuthJob(request: nil, reading: .accessToken)
    static let signOut = AuthJob(
        request: AuthRequest(.post, "/v1/account/sign-out"), repetition: .always, reading: .signedOut)
    static let sessions = AuthJob(
        request: AuthRequest(.get, "/v1/account/sessions"), repetition: .always, reading: .object)
    static let endOtherSessions = AuthJob(
        request: AuthRequest(.delete, "/v1/account/sessions"), repetition: .always, reading: .nothing)

    static func endSession(_ id: UInt64) -> AuthJob {
        AuthJob(request: AuthRequest(.delete, "/v1/account/sessions/\(id)"), repetition: .unlessReceived, reading: .nothing)
    }

    /// A request to the stores with the account's principal as caller. The caller receives the response with any status.
    static func store(_ request: AuthRequest, isRepeatable: Bool) -> AuthJob {
        AuthJob(request: request, repetition: isRepeatable ? .always : .unlessReceived, reading: .answer)
    }

    private static func shown(_ provider: some IdentityProvider) -> JSONObject {
        ["provider": .string(provider.providerID.text), "evidence": .object(provider.evidence)]
    }

    /// A job that needs no session.
    private static func open(
        _ path: String, _ body: JSONObject, _ reading: ResponseKind, of provider: (any IdentityProvider)? = nil
    )
        -> AuthJob
    {
        AuthJob(
            request: AuthRequest(.post, "/v1/accounts/" + path, body: body), needsSession: false,
            repetition: provider?.isReusable ?? true ? .unlessReceived : .unlessSent, reading: reading)
    }

    private static func confirming(_ path: String, _ body: JSONObject, _ device: String?, _ use: SentCodeUse) -> AuthJob {
        var body = body
        if let device { body["device"] = .string(device) }
        return open(path, body, .codeConfirmed(use))
    }
}
