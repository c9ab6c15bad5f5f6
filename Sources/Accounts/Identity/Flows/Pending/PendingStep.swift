internal import Primitives

/// A step that runs after its code is confirmed. It is in memory only, so an unverified address leaves nothing on disk.
enum PendingStep: Hashable, Sendable {
    /// Creates an account with this identity for the owner of the address.
    case signUp(EmailAddress, PendingIdentity, Profile)
    /// Sets a new password for an account.
    case reset(EmailAddress, AccountID)
    /// Changes the email of an account, requested in one of its sessions.
    case emailChange(AccountID, SessionID, EmailAddress)
    /// No step: the request had no effect, but the caller must not learn this.
    case nothing(EmailAddress)

    /// The address that the code was sent to.
    var address: EmailAddress {
        switch self {
        case .signUp(let address, _, _), .reset(let address, _), .emailChange(_, _, let address), .nothing(let address): address
        }
    }

    /// The step that the caller of the code requests.
    enum Kind: Hashable, Sendable {
        case signUp, reset, nothing
        /// Only the session that requested it may confirm it.
        case emailChange(AccountID, SessionID)
    }

    var kind: Kind {
        switch self {
        case .signUp: .signUp
        case .reset: .reset
        case .emailChange(let account, let session, _): .emailChange(account, session)
        case .nothing: .nothing
        }
    }

    /// The account that the step changes; nil if it creates one or does nothing.
    var account: AccountID? {
        switch self {
        case .signUp, .nothing: nil
        case .reset(_, let account), .emailChange(let account, _, _): account
        }
    }
}

/// An identity that is proven, or about to be, and is not linked to an account.
struct PendingIdentity: Hashable, Sendable {
    let provider: ProviderID
    let key: IdentityKey
    let label: String?
    let secret: String?

    init(_ provider: ProviderID, _ proof: VerifiedIdentity) {
        self.provider = provider
        key = proof.key
        label = proof.label
        secret = proof.secret
    }

    func linked(at now: Instant) -> LinkedIdentity {
        LinkedIdentity(provider: provider, key: key, label: label, secret: secret, linkedAt: now)
    }
}

/// A proven identity that can be linked to the account with the same email, after a sign-in to that account.
struct PendingLink: Hashable, Sendable {
    let identity: PendingIdentity
    let account: AccountID
}
