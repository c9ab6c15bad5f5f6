internal import Primitives
internal import Synchronization
internal import Work

/// Proves identities with providers, within the limits.
extension Accounts {
    func way(_ provider: ProviderID) throws(AccountError) -> any IdentityProvider {
        guard let way = signInMethods[provider] else { throw .unknownProvider(provider.text) }
        return way
    }

    /// The limits that one attempt counts against.
    struct AttemptCharges {
        /// Kept if the proof is wrong, taken back if it is right.
        var onFailure: [LimitCharge] = []
        /// Reset if the proof is right.
        var resetOnSuccess: [LimitCharge] = []
        /// Always kept, unless no work was done.
        var always: [LimitCharge] = []

        var all: [LimitCharge] { onFailure + resetOnSuccess + always }
    }

    /// A proof, and the stored secret that it was checked with.
    struct VerificationOutcome {
        let proof: VerifiedIdentity
        let secret: String?
    }

    /// Proves an identity. The attempt is counted before any work is done.
    ///
    /// - Parameter accepts: whether the identity is the expected one. If not, the proof counts as wrong.
    func authenticate(
        _ way: any IdentityProvider, _ evidence: JSONObject, for purpose: AuthenticationPurpose, charges: AttemptCharges,
        accepts: (VerifiedIdentity) -> Bool = { _ in true }
    ) throws(AccountError) -> VerificationOutcome {
        let now = clock()
        try limiter.charge(charges.all, at: now)
        sweep(at: now)
        var secret: String?
        do throws(ProviderError) {
            let proof = try way.authenticate(evidence, for: purpose, at: now) { key in
                secret = book.read { state in
                    state.accountID(provider: way.id, key: key).flatMap { state.account($0)?.identity(way.id)?.secret }
                }
                return secret
            }
            guard accepts(proof) else { throw .wrong }
            limiter.takeBack(charges.onFailure, at: now)
            for charge in charges.resetOnSuccess { limiter.reset(charge) }
            return VerificationOutcome(proof: proof, secret: secret)
        } catch {
            switch error {
            case .wrong: break
            // Nothing was changed, so `always` is taken back. The other charges remain, because the check had its cost.
            case .unfit: limiter.takeBack(charges.always, at: now)
            case .malformed, .unavailable, .busy: limiter.takeBack(charges.all, at: now)
            }
            throw problem(error, of: way.id)
        }
    }

    /// Ends expired sessions once an hour, so that unused ones do not accumulate.
    private func sweep(at now: Instant) {
        let isDue = nextSweep.withLock { next in
            // If the clock was set back, the next sweep is not delayed further.
            let isDue = next <= now || next > now.advanced(bySeconds: 3_600)
            if isDue { next = now.advanced(bySeconds: 3_600) }
            return isDue
        }
        guard isDue else { return }
        do { _ = try sessions.endExpired(at: now) } catch { report("expired sessions could not be removed: \(error)") }
    }

    /// Returns the error for the caller, and reports details to the operator.
    func problem(_ problem: ProviderError, of provider: ProviderID) -> AccountError {
        switch problem {
        case .malformed(let sentence): return .malformed(sentence)
        case .wrong: return .wrongCredentials
        case .unfit(let sentence): return .unacceptablePassword(sentence)
        case .unavailable(let sentence):
            report("the provider `\(provider)` failed: \(sentence)")
            return .unavailable(
                "unexpected response from the provider `\(provider)`: try again later, or use another sign-in method")
        case .busy: return .unavailable("too many users are signing in: try again later")
        }
    }

    /// Changes the accounts in one step. The change is durable on return.
    func change<R>(
        at now: Instant, _ body: (inout AccountChange) throws(AccountError) -> R
    ) throws(AccountError) -> R {
        try written { try book.change(at: now, body) }
    }

    /// Runs a write. If it fails, reports the cause to the operator, and tells the caller that the change was not made.
    func written<R>(_ body: () throws -> R) throws(AccountError) -> R {
        do {
            return try body()
        } catch let problem as AccountError {
            throw problem
        } catch {
            report("the accounts could not be changed: \(error)")
            throw .unavailable("the accounts cannot be changed now: the operator must check the service")
        }
    }

    /// Returns a valid device name, or throws.
    func checked(device: String?) throws(AccountError) -> String? {
        guard let device else { return nil }
        guard !device.isEmpty, device.utf8.count <= Session.deviceLimitBytes, !TextRules.hasControlCharacter(device) else {
            throw .malformed("`device` must have 1 to \(Session.deviceLimitBytes) bytes and no control characters")
        }
        return device
    }

    /// The stores are changed before the account exists: a user without an account is harmless.
    func enroll(_ principal: Name) throws(AccountError) {
        do {
            try directory.enroll([principal])
        } catch {
            report("a new account was not created: \(error.description)")
            throw .unavailable("the account could not be registered in the stores: try again later")
        }
    }
}
