import Events
import Identity
import Muniment
import Permissions
import ServiceSupport
import TestSupport

@testable import Service

/// A service with accounts, and the tools of a client.
struct AccountsFixture {
    let service: ServiceFixture
    let client: AccountsClient
    let mails: KeptMails

    var clock: ManualClock { service.clock }
    var door: any ServiceClient { client.door }

    /// Makes changes in the default store as an administrator.
    func commit(_ changes: Change...) throws {
        let hosted = try service.service.data.store(.default)
        try hosted?.store.commit(Transaction("user:root", changes))
    }

    /// Opens the default store to everyone, and makes a plan in it that no user may read.
    func makePlan() throws {
        try commit(
            .defineClass("doc"), .createObject("doc:plan"), .grant("everyone", on: "store", ["read"]),
            .grant("everyone", on: "class:doc", ["read"]))
    }

    /// Asks the service whether the subject may read the object, with the caller's token.
    func mayRead(_ object: Name, _ subject: String, as token: String) async throws -> ServiceSupport.Answer {
        try await door.send(
            "POST", "/v1/stores/default/check", token: token,
            json: #"{"subject":"\#(subject)","privilege":"read","object":"\#(object)"}"#)
    }
}

/// Runs a test with a service that has accounts, called over a socket.
func withAccounts(
    _ change: (inout ServiceSettings) -> Void = { _ in }, _ body: (AccountsFixture) async throws -> Void
) async throws {
    let mails = KeptMails()
    try await withListeners {
        $0.openAccounts(mails)
        change(&$0)
    } _: { service in
        let client = AccountsClient(try service.live(), mails)
        try await body(AccountsFixture(service: service, client: client, mails: mails))
    }
}

/// A provider that the service knows only through the protocol (CONFORMANCE I2). A badge identifies the user named on it.
struct BadgeProvider: IdentityProvider {
    let id = ProviderID("badge") ?? .password
    let priority = 3

    func begin(_ request: JSONObject, at now: Instant) throws(ProviderError) -> JSONObject? { ["gate": .string("north")] }

    func authenticate(
        _ evidence: JSONObject, for purpose: AuthenticationPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
    ) throws(ProviderError) -> VerifiedIdentity {
        guard case .string(let badge)? = evidence["badge"] else { throw .malformed("`badge` is missing: show it") }
        guard badge != "forged" else { throw .wrong }
        var email: (address: EmailAddress, isVerified: Bool)?
        if case .string(let text)? = evidence["email"], let address = EmailAddress(text) { email = (address, true) }
        return VerifiedIdentity(key: IdentityKey(Array(badge.utf8)), label: badge, email: email, authenticatedAt: now)
    }
}
