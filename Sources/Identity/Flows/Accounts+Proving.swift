internal import Events
internal import Permissions
internal import Synchronization

/// Asking a provider who somebody is, within the limits.
extension Accounts {
    func way(_ provider: ProviderID) throws(AccountProblem) -> any IdentityProvider {
        guard let way = waysIn[provider] else { throw .unknownProvider(provider.text) }
        return way
    }

    /// What counts against what, of one try.
    struct Charges {
        /// Kept where the proof is wrong, taken back where it is right.
        var onFailure: [Charge] = []
        /// Forgiven altogether where the proof is right.
        var forgiven: [Charge] = []
        /// Kept in any case, unless nothing was done.
        var always: [Charge] = []

        var all: [Charge] { onFailure + forgiven + always }
    }

    /// A proof, and the secret that it was measured by.
    struct Recognition {
        let proof: Proof
        let secret: String?
    }

    /// Has somebody proved, counting the try before anything is done for it.
    ///
    /// - Parameter accepts: whether it is the one who was meant; where not, it is as if nobody was proved.
    func prove(
        _ way: any IdentityProvider, _ evidence: JSONObject, for purpose: ProofPurpose, charges: Charges,
        accepts: (Proof) -> Bool = { _ in true }
    ) throws(AccountProblem) -> Recognition {
        let now = clock()
        try limiter.take(charges.all, at: now)
        sweep(at: now)
        var secret: String?
        do throws(ProviderProblem) {
            let proof = try way.prove(evidence, for: purpose, at: now) { key in
                secret = book.read { state in
                    state.account(provider: way.id, key: key).flatMap { state.account($0)?.identity(way.id)?.secret }
                }
                return secret
            }
            guard accepts(proof) else { throw .wrong }
            limiter.takeBack(charges.onFailure, at: now)
            for charge in charges.forgiven { limiter.forgive(charge) }
            return Recognition(proof: proof, secret: secret)
        } catch {
            switch error {
            case .wrong: break
            // It had its cost all the same.
            case .unfit: limiter.takeBack(charges.always, at: now)
            case .malformed, .unavailable, .busy: limiter.takeBack(charges.all, at: now)
            }
            throw problem(error, of: way.id)
        }
    }

    /// Ends sessions whose time is over, once an hour, so that those that nobody comes back to do not pile up.
    private func sweep(at now: Instant) {
        let isDue = nextSweep.withLock { next in
            // A clock that was set back does not put it off for longer.
            let isDue = next <= now || next > now.advanced(bySeconds: 3_600)
            if isDue { next = now.advanced(bySeconds: 3_600) }
            return isDue
        }
        guard isDue else { return }
        do { _ = try sessions.endOverdue(at: now) } catch { report("sessions that are over could not be cleared: \(error)") }
    }

    /// What is said of a provider's problem to whoever came with the evidence.
    func problem(_ problem: ProviderProblem, of provider: ProviderID) -> AccountProblem {
        switch problem {
        case .malformed(let sentence): return .malformed(sentence)
        case .wrong: return .wrongCredentials
        case .unfit(let sentence): return .unfitPassword(sentence)
        case .unavailable(let sentence):
            report("the provider `\(provider)` does not work: \(sentence)")
            return .unavailable("`\(provider)` does not answer as it should: try again in a moment, or sign in another way")
        case .busy: return .unavailable("too many people are signing in: try again in a moment")
        }
    }

    /// Changes the accounts in one step, on the disk when this returns.
    func change<R>(
        at now: Instant, _ body: (inout AccountChange) throws(AccountProblem) -> R
    ) throws(AccountProblem) -> R {
        try written { try book.change(at: now, body) }
    }

    /// Tells the operator what keeps a change from being written, and whoever asked for it that it was not made.
    func written<R>(_ body: () throws -> R) throws(AccountProblem) -> R {
        do {
            return try body()
        } catch let problem as AccountProblem {
            throw problem
        } catch {
            report("the accounts could not be changed: \(error)")
            throw .unavailable("the accounts cannot be changed now: the operator has to look after the service")
        }
    }

    /// What a client calls its device, if that will do.
    func checked(device: String?) throws(AccountProblem) -> String? {
        guard let device else { return nil }
        guard !device.isEmpty, device.utf8.count <= Session.deviceLimitBytes, !TextRules.hasControlCharacter(device) else {
            throw .malformed("`device` has 1 to \(Session.deviceLimitBytes) bytes and no control characters")
        }
        return device
    }

    /// The stores are told before there is an account: a user without one does no harm.
    func enroll(_ principal: Name) throws(AccountProblem) {
        do {
            try directory.enroll([principal])
        } catch {
            report("a new account was not made: \(error.description)")
            throw .unavailable("the account could not be made a user of the stores: try again later")
        }
    }
}
