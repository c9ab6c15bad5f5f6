internal import Primitives
internal import Secrets

/// Steps that wait for a mailed code.
final class PendingStepTable: Sendable {
    private struct Row: Sendable {
        let step: PendingStep
        let code: OneTimeCode
        var triesLeft = PendingStepTable.tries
        /// The code was confirmed, and the step is running.
        var isUsed = false
    }

    /// The maximum number of wrong attempts with a code.
    static let tries = 5

    private let table: PendingTable<Row>

    init(limit: Int = 16_384) { table = PendingTable(prefix: "munp_", limit: limit) }

    /// Stores a step.
    ///
    /// - Returns: the secret for the caller, and the code for the mail. Both are needed to run the step.
    func add(
        _ step: PendingStep, until ends: Instant, at now: Instant
    ) throws(AccountError) -> (attempt: String, code: OneTimeCode) {
        let code = OneTimeCode.random()
        return (try table.add(Row(step: step, code: code), until: ends, at: now), code)
    }

    /// Runs a step once for a caller with its secret and its code. If several callers are concurrent, only one runs it.
    ///
    /// - Parameters:
    ///   - kind: the requested kind; a step of another kind is not changed.
    ///   - body: runs the step. If it fails with an error that permits another attempt (``AccountError/mayBeTriedAgain``), the
    ///     code stays valid.
    /// - Throws: ``AccountError/wrongCode`` if anything does not match. The fifth wrong code ends the attempt.
    func redeem<R>(
        _ kind: PendingStep.Kind, _ attempt: String, code: String, at now: Instant,
        _ body: (PendingStep) throws(AccountError) -> R
    ) throws(AccountError) -> R {
        let step = try take(kind, attempt, code, at: now)
        do {
            let result = try body(step)
            table.with(attempt, at: now) { $0 = nil }
            return result
        } catch {
            // The row may have been dropped meanwhile with the other rows of its account.
            table.with(attempt, at: now) { row in
                if error.mayBeTriedAgain { row?.isUsed = false } else { row = nil }
            }
            throw error
        }
    }

    private func take(
        _ kind: PendingStep.Kind, _ attempt: String, _ code: String, at now: Instant
    ) throws(AccountError) -> PendingStep {
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

    /// Drops all attempts about an account.
    func drop(of account: AccountID) { table.drop { $0.step.account == account } }

    /// Drops all attempts about an address after a user has proven to own it.
    func drop(about address: EmailAddress) { table.drop { $0.step.address == address } }

    /// The number of waiting steps, including expired ones.
    var count: Int { table.count }
}

extension AccountError {
    /// Whether the same request can be repeated, unchanged or with another password. The evidence stays valid.
    var mayBeTriedAgain: Bool {
        switch self {
        case .unavailable, .unacceptablePassword: true
        default: false
        }
    }
}

/// A code of eight letters and digits that a user copies from a mail. It can be used once, for a short time, with at most five
/// attempts.
///
/// It has 40 bits: five attempts succeed with a probability of 1 in 200 billion.
struct OneTimeCode: Sendable {
    /// 32 characters, without `I`, `O`, `0` and `1`, which are easily confused.
    private static let signs = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
    static let length = 8

    private let bytes: [UInt8]

    static func random() -> OneTimeCode {
        OneTimeCode(bytes: Secrets.randomBytes(length).map { signs[Int($0 & 31)] })
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The code as shown in a mail: `ABCD-EFGH`.
    var text: String { String(decoding: bytes[..<4] + [UInt8(ascii: "-")] + bytes[4...], as: UTF8.self) }

    /// Whether the typed text matches the code. Letter case, blanks and hyphens are ignored. Constant time.
    func matches(_ typed: String) -> Bool {
        guard typed.utf8.count <= 64 else { return false }
        let meant = typed.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }.map { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
        }
        return Secrets.areEqual(bytes, meant)
    }
}
