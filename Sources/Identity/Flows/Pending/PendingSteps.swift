internal import Events

/// Steps that wait for the code from a mail.
final class PendingSteps: Sendable {
    private struct Row: Sendable {
        let step: PendingStep
        let code: OneTimeCode
        var triesLeft = PendingSteps.tries
        /// Somebody has shown the code, and the step is being done.
        var isUsed = false
    }

    /// How often a code may be typed wrong, the last time included.
    static let tries = 5

    private let table: PendingTable<Row>

    /// - Parameter limit: how many may wait at once.
    init(limit: Int = 16_384) { table = PendingTable(prefix: "munp_", limit: limit) }

    /// Lets a step wait.
    ///
    /// - Returns: the secret for whoever asked for it, and the code for the mail. It takes both.
    func add(
        _ step: PendingStep, until ends: Instant, at now: Instant
    ) throws(AccountProblem) -> (attempt: String, code: OneTimeCode) {
        let code = OneTimeCode.random()
        return (try table.add(Row(step: step, code: code), until: ends, at: now), code)
    }

    /// Does a step, once and for all, for whoever has its secret and its code. Of several who come at once one does it.
    ///
    /// - Parameters:
    ///   - kind: what is asked for; a step of another kind is left alone.
    ///   - body: does it. Where it can be done another time (``AccountProblem/mayBeTriedAgain``), the code stays good.
    /// - Throws: ``AccountProblem/wrongCode`` for anything that does not match. The fifth wrong code ends the attempt.
    func redeem<R>(
        _ kind: PendingStep.Kind, _ attempt: String, code: String, at now: Instant,
        _ body: (PendingStep) throws(AccountProblem) -> R
    ) throws(AccountProblem) -> R {
        let step = try take(kind, attempt, code, at: now)
        do {
            let result = try body(step)
            table.with(attempt, at: now) { $0 = nil }
            return result
        } catch {
            // It may be gone meanwhile, with all others of its account.
            table.with(attempt, at: now) { row in
                if error.mayBeTriedAgain { row?.isUsed = false } else { row = nil }
            }
            throw error
        }
    }

    private func take(
        _ kind: PendingStep.Kind, _ attempt: String, _ code: String, at now: Instant
    ) throws(AccountProblem) -> PendingStep {
        let step = table.with(attempt, at: now) { row -> PendingStep? in
            guard var found = row, found.step.kind == kind, !found.isUsed else { return nil }
            if found.code.matches(code) {
                row?.isUsed = true
                return found.step
            }
            found.triesLeft -= 1
            row = found.triesLeft > 0 ? found : nil
            return nil
        }
        guard let step else { throw .wrongCode }
        return step
    }

    /// Ends every attempt about an account.
    func drop(of account: AccountID) { table.drop { $0.step.account == account } }

    /// Ends every attempt about an address, now that somebody has shown it to be theirs.
    func drop(about address: EmailAddress) { table.drop { $0.step.address == address } }

    /// How many wait, those that are over included.
    var count: Int { table.count }
}

extension AccountProblem {
    /// Whether the same can be tried again as it is, or with another password: what was shown so far stays good.
    var mayBeTriedAgain: Bool {
        switch self {
        case .unavailable, .unfitPassword: true
        default: false
        }
    }
}
