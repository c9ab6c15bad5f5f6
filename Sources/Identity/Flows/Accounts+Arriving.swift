internal import Events
internal import Permissions
internal import Secrets
internal import Synchronization

/// What happens to somebody who has been proved: they go into their account, are told of the one that has their email, or get one.
extension Accounts {
    /// Somebody whom a provider has proved, and what is known of them.
    struct Arrived {
        let identity: PendingIdentity
        /// Whether the provider has recognised the person, or has only taken a new secret.
        let isRecognized: Bool
        /// The address that is shown to be theirs; nil where none is.
        let address: EmailAddress?
        let profile: Profile
        let device: String?
        let authenticatedAt: Instant
    }

    /// Signs somebody in who has an account by this identity; makes one for anybody else.
    func welcome(_ arrived: Arrived) throws(AccountProblem) -> SignedIn {
        let arrival = book.read { state in
            Accounts.arrival(arrived, in: state)
        }
        // Before the stores are told of anybody.
        switch arrival {
        case .known: break
        case .taken(let holder): throw try collision(arrived, with: holder)
        case .nobody: return try open(arrived)
        }
        return try change(at: clock()) { change throws(AccountProblem) in
            let account = try present(arrived.identity, in: change.state)
            return try begin(account.id, arrived, isNew: false, in: &change)
        }
    }

    /// Makes an account, unless somebody has just made one with the same email or identity.
    private func open(_ arrived: Arrived) throws(AccountProblem) -> SignedIn {
        let principal = Name("user:" + Accounts.randomLetters(26))
        try enroll(principal)
        let now = clock()
        let outcome = try change(at: now) { change throws(AccountProblem) -> Opening in
            switch Accounts.arrival(arrived, in: change.state) {
            case .known(let account): return .signedIn(try begin(account, arrived, isNew: false, in: &change))
            case .taken(let holder): return .taken(by: holder)
            case .nobody: break
            }
            let id = change.state.nextAccount
            change.record(.accountOpened(id, principal: principal, profile: arrived.profile))
            if let address = arrived.address { change.record(.emailSet(id, address)) }
            change.record(.identityLinked(id, arrived.identity.linked(at: change.now)))
            return .signedIn(try begin(id, arrived, isNew: true, in: &change))
        }
        switch outcome {
        case .signedIn(let signedIn):
            // Whatever others began about the address, they had not shown it to be theirs.
            if let address = arrived.address { steps.drop(about: address) }
            return signedIn
        case .taken(let holder): throw try collision(arrived, with: holder)
        }
    }

    /// Makes whoever has an account a user of the stores, so that those that accounts belong to only since today have them all. For the
    /// start, before anybody can delete an account. Changes nothing where nobody is missing.
    ///
    /// Linear in the accounts.
    ///
    /// - Parameter batch: how many accounts the stores are told of at a time.
    /// - Throws: ``DirectoryProblem`` where a store does not take somebody. Who is a user by then stays one.
    public func enrollAll(batch: Int = 1_000) throws(DirectoryProblem) {
        var last: AccountID?
        while true {
            let accounts = list(after: last, limit: batch)
            guard let end = accounts.last else { return }
            try directory.enroll(accounts.map(\.principal))
            last = end.id
        }
    }

    private static func arrival(_ arrived: Arrived, in state: AccountState) -> AccountRules.Arrival {
        AccountRules.arrival(
            arrived.identity.provider, arrived.identity.key, isRecognized: arrived.isRecognized, shown: arrived.address, in: state)
    }

    private enum Opening {
        case signedIn(SignedIn)
        case taken(by: AccountID)
    }

    /// Begins a session as part of a change.
    private func begin(
        _ account: AccountID, _ arrived: Arrived, isNew: Bool, in change: inout AccountChange
    ) throws(AccountProblem) -> SignedIn {
        try begin(
            account, arrived.identity.provider, device: arrived.device, authenticatedAt: arrived.authenticatedAt, isNew: isNew,
            in: &change)
    }

    /// Begins a session as part of a change.
    func begin(
        _ account: AccountID, _ provider: ProviderID, device: String?, authenticatedAt: Instant, isNew: Bool,
        in change: inout AccountChange
    ) throws(AccountProblem) -> SignedIn {
        guard !isLeaving(account) else { throw Accounts.leavingProblem }
        let (session, tokens) = sessions.begin(
            account, provider: provider, device: device, authenticatedAt: min(authenticatedAt, change.now), at: change.now,
            in: &change)
        guard let found = change.state.account(account) else { throw .noAccount }
        return SignedIn(session: session, account: found, tokens: tokens, isNew: isNew)
    }

    /// The account that an identity is a way into, as a change finds it.
    func present(_ identity: PendingIdentity, in state: AccountState) throws(AccountProblem) -> Account {
        let id = state.account(provider: identity.provider, key: identity.key)
        guard let account = id.flatMap({ state.account($0) }) else { throw .noAccount }
        return account
    }

    /// What somebody is told who has proved an email that another account has: by which ways to sign in to that, and how the proved
    /// identity is linked behind it. Nothing is merged.
    func collision(_ arrived: Arrived, with holder: AccountID) throws(AccountProblem) -> AccountProblem {
        // Without an email that is shown to be theirs they are told nothing of the account.
        guard let address = arrived.address else { return .linkedElsewhere }
        guard let account = book.read({ $0.account(holder) }), account.email == address else {
            // It has gone, or has another email, in just this moment.
            return .unavailable("the account that has this email is being changed: try again")
        }
        let providers = priorities(account.identities.map(\.provider))
        guard account.identity(arrived.identity.provider) == nil else { return .accountExists(providers: providers, link: nil) }
        let now = clock()
        let link = try links.add(
            PendingLink(identity: arrived.identity, account: holder, address: address),
            until: now.advanced(bySeconds: settings.codeSeconds), at: now)
        return .accountExists(providers: providers, link: link)
    }

    /// Ways in that the service still has, in order of priority.
    func priorities(_ providers: [ProviderID]) -> [ProviderID] {
        self.providers.map(\.id).filter(providers.contains)
    }

    func isLeaving(_ account: AccountID) -> Bool { leaving.withLock { $0.contains(account) } }

    static let leavingProblem = AccountProblem.unavailable("the account is being deleted: try again in a moment")

    /// Small letters and digits that nobody can guess: 5 bits each.
    static func randomLetters(_ count: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        return String(decoding: Secrets.randomBytes(count).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }
}
