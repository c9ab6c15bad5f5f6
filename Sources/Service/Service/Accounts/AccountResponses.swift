internal import Events
internal import HTTPServer
internal import Identity
internal import Muniment
internal import Permissions

extension SignedIn {
    func json(_ accounts: Accounts) -> JSONObject {
        [
            "accessToken": .string(tokens.access), "accessTokenExpiresAt": .time(session.accessEnds),
            "accessTokenSeconds": .integer(accounts.accessSeconds(of: session)), "refreshToken": .string(tokens.refresh),
            "refreshTokenExpiresAt": .time(min(session.idleEnds, session.ends)), "sessionID": .string(session.id.text),
            "authenticatedAt": .time(session.authenticatedAt), "isNew": .bool(isNew), "account": .object(account.json(accounts)),
        ]
    }
}

extension SessionID {
    /// The text form in addresses and responses.
    var text: String { String(number) }
}

extension Session {
    func json(isCurrent: Bool) -> JSONObject {
        [
            "id": .string(id.text), "device": .optional(device), "createdAt": .time(createdAt), "refreshedAt": .time(refreshedAt),
            "authenticatedAt": .time(authenticatedAt), "provider": .string(provider.text), "expiresAt": .time(min(idleEnds, ends)),
            "current": .bool(isCurrent),
        ]
    }
}

extension Account {
    func json(_ accounts: Accounts) -> JSONObject {
        let priorities = accounts.providers
        let identities = identities.map { identity -> JSONValue in
            let priority = priorities.first { $0.id == identity.provider }?.priority
            return .object([
                "provider": .string(identity.provider.text), "label": .optional(identity.label),
                "linkedAt": .time(identity.linkedAt),
                "priority": priority.map { .integer(Int64($0)) } ?? .null,
            ])
        }
        return [
            "principal": .name(principal), "email": .optional(email?.text), "displayName": .optional(profile.displayName),
            "picture": .optional(profile.picture), "createdAt": .time(createdAt), "identities": .array(identities),
        ]
    }
}

extension Schema {
    static let provider = text("the id of a provider: `password`, or one from `GET /v1/accounts/providers`")

    private static func text(_ description: String) -> JSONValue {
        .object(["type": .string("string"), "description": .string(description), "examples": .texts(["password"])])
    }
}

/// The schemas of the responses of account routes.
enum SchemasOfAccounts {
    static let all: JSONObject = [
        "Evidence": Schema.openObject("what proves the identity to the provider, such as `email` and `password`"),
        "SignInStep": Schema.openObject("what the provider needs next, such as `attempt` and `authorizationURL`"),
        "LinkByEvidence": Schema.object(["provider": Schema.provider, "evidence": Schema.named("Evidence")]),
        "LinkByCode": Schema.object(["link": Schema.text]),
        "Provider": Schema.object(["id": Schema.text, "priority": Schema.number]),
        "CodeSent": Schema.object(["attempt": Schema.text, "expiresAt": Schema.time]),
        "Identity": Schema.object([
            "provider": Schema.text, "label": Schema.orNull(Schema.text), "linkedAt": Schema.time,
            "priority": Schema.orNull(Schema.number),
        ]),
        "Account": Schema.object([
            "principal": Schema.name, "email": Schema.orNull(Schema.text), "displayName": Schema.orNull(Schema.text),
            "picture": Schema.orNull(Schema.text), "createdAt": Schema.time, "identities": Schema.list(Schema.named("Identity")),
        ]),
        "Session": Schema.object([
            "id": Schema.text, "device": Schema.orNull(Schema.text), "createdAt": Schema.time, "refreshedAt": Schema.time,
            "authenticatedAt": Schema.time, "provider": Schema.text, "expiresAt": Schema.time, "current": Schema.flag,
        ]),
        "SignedIn": Schema.object([
            "accessToken": Schema.text, "accessTokenExpiresAt": Schema.time, "accessTokenSeconds": Schema.number,
            "refreshToken": Schema.text,
            "refreshTokenExpiresAt": Schema.time, "sessionID": Schema.text, "authenticatedAt": Schema.time, "isNew": Schema.flag,
            "account": Schema.named("Account"),
        ]),
    ]
}
