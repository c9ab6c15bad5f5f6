internal import Events

/// What is done once somebody has copied the code out of the mail. None of it is on the disk before: an address that nobody has
/// shown to be theirs leaves nothing behind.
enum PendingStep: Hashable, Sendable {
    /// An account, with this way in, for whoever reads the mails to the address.
    case signUp(EmailAddress, PendingIdentity, Profile)
    /// A new password for an account.
    case reset(EmailAddress, AccountID)
    /// Another address for an account, asked for in one of its sessions.
    case emailChange(AccountID, SessionID, EmailAddress)
    /// Nothing: whatever was asked for is not there, and whoever asked cannot tell.
    case nothing(EmailAddress)

    /// The address that the code was sent to.
    var address: EmailAddress {
        switch self {
        case .signUp(let address, _, _), .reset(let address, _), .emailChange(_, _, let address), .nothing(let address): address
        }
    }

    /// What is asked for by whoever comes with the code.
    enum Kind: Hashable, Sendable {
        case signUp, reset, nothing
        /// Only the session that has asked for it may have it done.
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

    /// The account that it would change; nil where it would make one, or do nothing.
    var account: AccountID? {
        switch self {
        case .signUp, .nothing: nil
        case .reset(_, let account), .emailChange(let account, _, _): account
        }
    }
}

/// A way in that somebody has proved, or is about to, and that belongs to no account yet.
struct PendingIdentity: Hashable, Sendable {
    let provider: ProviderID
    let key: IdentityKey
    let label: String?
    let secret: String?

    init(_ provider: ProviderID, _ proof: Proof) {
        self.provider = provider
        key = proof.key
        label = proof.label
        secret = proof.secret
    }

    func linked(at now: Instant) -> LinkedIdentity {
        LinkedIdentity(provider: provider, key: key, label: label, secret: secret, linkedAt: now)
    }
}

/// A proved identity that can be linked to the one account whose email it has, once somebody has signed in to that.
struct PendingLink: Hashable, Sendable {
    let identity: PendingIdentity
    let account: AccountID
    /// The verified address that both have.
    let address: EmailAddress
}
