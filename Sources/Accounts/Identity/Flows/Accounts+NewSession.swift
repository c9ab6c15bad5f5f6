public import Primitives
internal import Secrets
internal import Synchronization

/// Handles a proven identity. The user is signed in to their account, gets a collision error if another account has the email, or
/// gets a new account.
extension Accounts {
    /// A user that a provider has identified.
    struct AuthenticatedUser {
        let identity: PendingIdentity
        /// Whether the provider has recognised the user; false if it only accepted a new secret.
        let isRecognized: Bool
        /// The verified email of the user; nil for none.
        let address: EmailAddress?
        let profile: Profile
        let device: String?
        let authenticatedAt: Instant
    }

    /// Signs in the user with this identity, or creates an account.
    func signIn(_ arrived: AuthenticatedUser) throws(AccountError) -> SignedIn {
        var principal: Name?
        switch book.read({ Accounts.arrival(arrived, in: $0) }) {
        case .known: break
        // Collisions are rejected before the stores are changed.
        case .taken(let holder): throw try collision(arrived, with: holder)
        case .nobody:
            let new = Name(Accounts.principalPrefix + Accounts.randomLetters(Accounts.principalLetters))
            try enroll(new)
            principal = new
        }
        let outcome = try change(at: clock()) { change throws(AccountError) -> Opening in
            // A concurrent request may just have created or deleted an account with the same email or identity.
            let account: AccountID
            let arrival = Accounts.arrival(arrived, in: change.state)
            switch arrival {
            case .known(let known): account = known
            case .taken(let holder): return .taken(by: holder)
            case .nobody:
                guard let principal else { throw .noAccount }
                account = change.state.nextAccount
                change.record(.accountOpened(account, principal: principal, profile: arrived.profile))
                if let address = arrived.address { change.record(.emailSet(account, address)) }
                change.record(.identityLinked(account, arrived.identity.linked(at: change.now)))
            }
            return .signedIn(
                try begin(
                    account, arrived.identity.provider, device: arrived.device, authenticatedAt: arrived.authenticatedAt,
                    isNew: arrival == .nobody, in: &change))
        }
        switch outcome {
        case .signedIn(let signedIn):
            // Other attempts about this address are dropped: their callers had not proven that they own it.
            if principal != nil, let address = arrived.address { steps.drop(about: address) }
            return signedIn
        case .taken(let holder): throw try collision(arrived, with: holder)
        }
    }

    /// Makes every account a user of all stores, including newly configured stores. Call it at the start, before any account can be
    /// deleted. Changes nothing if no user is missing.
    ///
    /// Linear in the accounts.
    ///
    /// - Parameter batch: the number of accounts per call to the stores.
    /// - Throws: ``DirectoryError`` if a store rejects an account. Accounts enrolled before that remain users.
    public func enrollAll(batch: Int = 1_000) throws(DirectoryError) {
        var last: AccountID?
        while true {
            let accounts = list(after: last, limit: batch)
            guard let end = accounts.last else { return }
            try directory.enroll(accounts.map(\.principal))
            last = end.id
        }
    }

    private static func arrival(_ arrived: AuthenticatedUser, in state: AccountState) -> AccountRules.IdentityOwner {
        AccountRules.arrival(
            arrived.identity.provider, arrived.identity.key, isRecognized: arrived.isRecognized, shown: arrived.address, in: state)
    }

    private enum Opening {
        case signedIn(SignedIn)
        case taken(by: AccountID)
    }

    /// Starts a session as part of a change.
    func begin(
        _ account: AccountID, _ provider: ProviderID, device: String?, authenticatedAt: Instant, isNew: Bool,
        in change: inout AccountChange
    ) throws(AccountError) -> SignedIn {
        guard !isBeingDeleted(account) else { throw Accounts.leavingProblem }
        let (session, tokens) = sessions.begin(
            account, provider: provider, device: device, authenticatedAt: min(authenticatedAt, change.now), at: change.now,
            in: &change)
        guard let found = change.state.account(account) else { throw .noAccount }
        return SignedIn(session: session, account: found, tokens: tokens, isNew: isNew)
    }

    /// Returns the error for a user with the email of another account. It lists the providers of that account and a link for the
    /// proven identity. Nothing is merged.
    func collision(_ arrived: AuthenticatedUser, with holder: AccountID) throws(AccountError) -> AccountError {
        // Without a verified email the user learns nothing about the account.
        guard let address = arrived.address else { return .linkedElsewhere }
        guard let account = book.read({ $0.account(holder) }), account.email == address else {
            // The account was deleted, or its email was changed, at the same time.
            return .unavailable("the account with this email is being changed: try again")
        }
        let providers = priorities(account.identities.map(\.provider))
        guard account.identity(arrived.identity.provider) == nil else { return .accountExists(providers: providers, link: nil) }
        let now = clock()
        let link = try links.add(
            PendingLink(identity: arrived.identity, account: holder), until: now.advanced(bySeconds: settings.codeSeconds), at: now)
        return .accountExists(providers: providers, link: link)
    }

    /// Returns the providers that are still configured, in order of priority.
    func priorities(_ providers: [ProviderID]) -> [ProviderID] {
        self.providers.map(\.id).filter(providers.contains)
    }

    func isBeingDeleted(_ account: AccountID) -> Bool { leaving.withLock { $0.contains(account) } }

    static let leavingProblem = AccountError.unavailable("the account is being deleted: try again later")

    private static let principalPrefix = "user:"
    private static let principalLetters = 26
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Returns random lowercase letters and digits with 5 bits each.
    static func randomLetters(_ count: Int) -> String {
        String(decoding: Secrets.randomBytes(count).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }

    /// Returns whether a name belongs to an account, or has the form of such a name: a future or a deleted account may have it.
    public func reserves(_ principal: Name) -> Bool {
        let bytes = principal.text.utf8
        let rest = bytes.dropFirst(Accounts.principalPrefix.utf8.count)
        let hasForm =
            bytes.starts(with: Accounts.principalPrefix.utf8) && rest.count == Accounts.principalLetters
            && rest.allSatisfy(Accounts.letters.contains)
        return hasForm || account(principal: principal) != nil
    }
}
