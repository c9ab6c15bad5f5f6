internal import Primitives
internal import Secrets

/// Email and password. The evidence is `{"email": …, "password": …}`; within a session `{"password": …}` is sufficient.
///
/// The identity is the address. It is unproven until the user has confirmed a code sent to that address.
final class PasswordProvider: IdentityProvider {
    let id = ProviderID.password
    let priority = 0

    private let settings: PasswordHash.Settings
    private let threads: BackgroundThreads
    private let common: CommonPasswords
    /// The hash of a random password with the current settings: an unknown address costs the same work as a wrong password.
    let nobody: String

    /// - Throws: ``CommonPasswordsError``, or `PasswordHash.OutOfMemoryError`.
    init(_ settings: PasswordHash.Settings, on threads: BackgroundThreads) throws {
        common = try CommonPasswords.installed.get()
        self.settings = settings
        self.threads = threads
        nobody = try PasswordHash.make(Secrets.randomBytes(32), settings)
    }

    /// The number of password hashes, for storage or comparison.
    var hashCount: Int { threads.takenCount }

    func begin(_ request: JSONObject, at now: Instant) throws(ProviderError) -> JSONObject? { nil }

    func claimedKey(_ evidence: JSONObject) -> IdentityKey? {
        guard case .string(let text)? = evidence["email"] else { return nil }
        return EmailAddress(text).map(IdentityKey.init)
    }

    func authenticate(
        _ evidence: JSONObject, for purpose: AuthenticationPurpose, at now: Instant, secretOf: (IdentityKey) -> String?
    ) throws(ProviderError) -> VerifiedIdentity {
        guard case .string(let password)? = evidence["password"] else { throw .malformed("`password` is missing: write a string") }
        switch purpose {
        case .enrolment:
            return try enrolled(try address(evidence), password, at: now)
        case .recognition:
            let address = try address(evidence)
            return try recognized(IdentityKey(address), password, at: now, secret: secretOf(IdentityKey(address)))
        case .reauthentication(let identity):
            // Another account's address has the same result and duration as a wrong password.
            let claimed = evidence["email"] == nil ? identity.key : IdentityKey(try address(evidence))
            let isMeant = claimed == identity.key
            return try recognized(identity.key, password, at: now, secret: isMeant ? identity.secret : nil)
        }
    }

    private func address(_ evidence: JSONObject) throws(ProviderError) -> EmailAddress {
        guard case .string(let text)? = evidence["email"] else { throw .malformed("`email` is missing: write a string") }
        guard let address = EmailAddress(text) else {
            throw .malformed("`email` is not a mail address: write one like ann@example.org")
        }
        return address
    }

    private func enrolled(_ address: EmailAddress, _ password: String, at now: Instant) throws(ProviderError) -> VerifiedIdentity {
        if let violation = PasswordRules.violation(password, for: address, common: common) { throw .unfit(violation) }
        return VerifiedIdentity(
            key: IdentityKey(address), label: address.text, secret: try hash(Array(password.utf8)),
            email: (address, isVerified: false), authenticatedAt: now)
    }

    private func recognized(
        _ key: IdentityKey, _ password: String, at now: Instant, secret: String?
    ) throws(ProviderError) -> VerifiedIdentity {
        let bytes = Array(password.utf8)
        // The result is the same whether or not the account exists.
        guard !bytes.isEmpty, bytes.count <= PasswordRules.limitBytes else { throw .wrong }
        let hash = secret ?? nobody
        let isRight = try onThread { PasswordHash.matches(hash, bytes) }
        guard isRight, secret != nil else { throw .wrong }
        let isOutdated = PasswordHash.needsRehash(hash, settings)
        return VerifiedIdentity(key: key, secret: isOutdated ? try self.hash(bytes) : nil, authenticatedAt: now)
    }

    private func hash(_ password: [UInt8]) throws(ProviderError) -> String {
        let settings = settings
        let hash: String? = try onThread { try? PasswordHash.make(password, settings) }
        guard let hash else { throw .unavailable("no memory for hashing a password") }
        return hash
    }

    private func onThread<R: Sendable>(_ work: @escaping @Sendable () -> R) throws(ProviderError) -> R {
        guard let result = threads.run(work) else { throw .busy }
        return result
    }
}
