internal import Events
internal import HTTPServer
internal import Synchronization

/// How many wrong JWTs an address may send: a thousand at once, and then a hundred a second.
///
/// What this keeps small is the work of looking at signatures: nobody guesses one in any number of attempts. Other JWTs from such an
/// address wait, too. Tokens do not, wrong or good: looking one up costs no more than saying no.
final class FailureLimit: Sendable {
    static let burst: Int64 = 1_000
    static let microsecondsEach: Int64 = 10_000
    /// Addresses that are kept in mind.
    static let addressLimit = 16_384

    /// For each address the moment at which all of its failures are forgiven.
    private let forgiven = Mutex<[String: Instant]>([:])

    /// - Throws: ``Problem`` where an address has sent too many.
    func check(_ peer: String, at now: Instant) throws(Problem) {
        let group = FailureLimit.group(peer)
        guard let until = forgiven.withLock({ $0[group] }) else { return }
        let open = until.microseconds - now.microseconds
        let room = FailureLimit.burst * FailureLimit.microsecondsEach
        // A clock that was set back by more than there could ever be forgives everything.
        guard open > room - FailureLimit.microsecondsEach, open <= room else { return }
        throw Problem(
            .tooManyRequests, "too many wrong JWTs came from this address: wait before the next one",
            headers: [HTTPHeader("Retry-After", "1")])
    }

    /// Counts a wrong credential.
    func note(_ peer: String, at now: Instant) {
        let group = FailureLimit.group(peer)
        forgiven.withLock { forgiven in
            if forgiven.count >= FailureLimit.addressLimit, forgiven[group] == nil { forgiven = forgiven.filter { $0.value > now } }
            // So many at once are too many to tell apart: all begin anew.
            if forgiven.count >= FailureLimit.addressLimit { forgiven = [:] }
            let room = now.advanced(byMicroseconds: FailureLimit.burst * FailureLimit.microsecondsEach)
            let next = max(forgiven[group] ?? now, now).advanced(byMicroseconds: FailureLimit.microsecondsEach)
            forgiven[group] = min(next, room)
        }
    }

    /// What counts as one address: of IPv6 the first 64 bits, which is what one customer is given.
    static func group(_ peer: String) -> String {
        IPAddress(peer)?.network.description ?? peer
    }
}
