internal import Primitives

/// Rules for changes of accounts, decided from the state alone (CONFORMANCE I4 and I5). A change is checked again in the step that
/// writes it, so that of two concurrent changes the second one sees the first.
enum AccountRules {
    /// The account that an identity from a provider belongs to.
    enum IdentityOwner: Hashable, Sendable {
        /// A user with an account.
        case known(AccountID)
        /// A user without an account, but another account has the same email or the identity. That alone does not make it the
        /// user's account.
        case taken(by: AccountID)
        case nobody
    }

    /// - Parameters:
    ///   - isRecognized: whether the provider has recognised a user. False if it only accepted a new secret, which proves nothing
    ///     about an existing account with the same identity.
    ///   - address: the verified email of the user; nil for none.
    static func arrival(
        _ provider: ProviderID, _ key: IdentityKey, isRecognized: Bool, shown address: EmailAddress?, in state: AccountState
    ) -> IdentityOwner {
        if let account = state.accountID(provider: provider, key: key) {
            return isRecognized ? .known(account) : .taken(by: account)
        }
        if let address, let holder = state.account(email: address) { return .taken(by: holder.id) }
        return .nobody
    }

    /// Throws if an identity must not be linked to the account.
    ///
    /// - Parameter unshown: the address of the identity, if its ownership is not yet proven.
    static func mayLink(
        _ provider: ProviderID, _ key: IdentityKey, unshown: EmailAddress?, to account: Account, in state: AccountState
    ) throws(AccountError) {
        guard account.identity(provider) == nil else { throw .alreadyLinked }
        if let unshown {
            guard let email = account.email else { throw .notThere(noEmail) }
            guard unshown == email else {
                throw .malformed("the email is not the email of the account: change the account's email first, or use that email")
            }
        }
        guard state.accountID(provider: provider, key: key) == nil else { throw .linkedElsewhere }
    }

    /// Throws if an identity must not be unlinked. Another usable identity must remain, with a provider that is still configured.
    static func mayUnlink(
        _ provider: ProviderID, from account: Account, usable: Set<ProviderID>
    ) throws(AccountError) {
        guard account.identity(provider) != nil else {
            throw .notThere("the account has no sign-in method of the provider `\(provider)`: nothing to remove")
        }
        let left = account.identities.contains { $0.provider != provider && usable.contains($0.provider) }
        guard left else { throw .lastSignInMethod }
    }

    /// Throws if an address must not become an account's email after verification.
    static func mayHave(
        _ address: EmailAddress, _ account: Account, in state: AccountState
    ) throws(AccountError) {
        guard let holder = state.account(email: address) else { return }
        if holder.id == account.id { throw .malformed("the account has this email already") }
        throw .accountExists(providers: holder.identities.map(\.provider), link: nil)
    }

    /// Whether a sign-in is recent enough for a sensitive change (CONFORMANCE I7). If the clock was set back, a sign-in in the
    /// future is recent only within the same number of seconds.
    static func isRecent(_ authenticatedAt: Instant, seconds: Int64, at now: Instant) -> Bool {
        let (passed, overflow) = now.microseconds.subtractingReportingOverflow(authenticatedAt.microseconds)
        return !overflow && passed.magnitude <= UInt64(seconds) * 1_000_000
    }

    /// Returns for how many whole seconds a sign-in stays recent; 0 if it is not recent. A sign-in in the future counts as one of
    /// now.
    static func recentSecondsLeft(_ authenticatedAt: Instant, seconds: Int64, at now: Instant) -> Int64 {
        guard isRecent(authenticatedAt, seconds: seconds, at: now) else { return 0 }
        let passed = max(0, now.microseconds - authenticatedAt.microseconds)
        return (seconds * 1_000_000 - passed) / 1_000_000
    }

    static let noEmail = "the account has no confirmed email: set one first (`PUT /v1/account/email`)"
}

/// Rules for profiles and device names.
enum TextRules {
    static func hasControlCharacter(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.properties.isBidiControl }
    }

    /// Returns a valid profile, or throws.
    static func checked(_ profile: Profile) throws(AccountError) -> Profile {
        if let name = profile.displayName {
            guard !name.isEmpty, name.utf8.count <= Profile.limitBytes, !hasControlCharacter(name) else {
                throw .malformed("`displayName` must have 1 to \(Profile.limitBytes) bytes and no control characters")
            }
        }
        if let picture = profile.picture {
            guard isAddress(picture) else {
                throw .malformed(
                    "`picture` must be an address that starts with https:// or http://, in ASCII without spaces, at most "
                        + "\(Profile.addressLimitBytes) bytes")
            }
        }
        return profile
    }

    /// Returns the user's profile. Missing fields are filled from the provider's profile if its values are valid.
    static func merged(_ profile: Profile, with offered: Profile) -> Profile {
        let name = try? checked(Profile(displayName: offered.displayName)).displayName
        let picture = try? checked(Profile(picture: offered.picture)).picture
        return Profile(displayName: profile.displayName ?? name, picture: profile.picture ?? picture)
    }

    private static func isAddress(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: { text.utf8.starts(with: $0.utf8) }) else { return false }
        let bytes = text.utf8
        return bytes.count > scheme.utf8.count && bytes.count <= Profile.addressLimitBytes
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
    }
}
