internal import Events
internal import HTTPServer
internal import Synchronization

/// Limits the invalid JWTs of an address: a thousand at once, and then a hundred a second.
///
/// This limits the work of verifying signatures; guessing a signature is not feasible. Valid JWTs from such an address must wait,
/// too. Tokens are not limited, valid or not: looking one up costs no more than rejecting it.
final class FailureLimit: Sendable {
    static let burst: Int64 = 1_000
    static let microsecondsEach: Int64 = 10_000
    /// The largest number of addresses that are tracked.
    static let addressLimit = 16_384

    /// For each address, the moment when all of its failures are forgiven.
    private let forgiven = Mutex<[String: Instant]>([:])

    /// - Throws: ``Problem`` if an address has sent too many.
    func check(_ peer: String, at now: Instant) throws(Problem) {
        let group = FailureLimit.group(peer)
        guard let until = forgiven.withLock({ $0[group] }) else { return }
        let open = until.microseconds - now.microseconds
        let room = FailureLimit.burst * FailureLimit.microsecondsEach
        // If the clock was set back beyond the possible range, everything is forgiven.
        guard open > room - FailureLimit.microsecondsEach, open <= room else { return }
        throw Problem(
            .tooManyRequests, "too many invalid JWTs from this address: wait before the next request",
            headers: [HTTPHeader("Retry-After", "1")])
    }

    /// Counts an invalid credential.
    func note(_ peer: String, at now: Instant) {
        let group = FailureLimit.group(peer)
        forgiven.withLock { forgiven in
            if forgiven.count >= FailureLimit.addressLimit, forgiven[group] == nil { forgiven = forgiven.filter { $0.value > now } }
            // Too many addresses to track: all start again.
            if forgiven.count >= FailureLimit.addressLimit { forgiven = [:] }
            let room = now.advanced(byMicroseconds: FailureLimit.burst * FailureLimit.microsecondsEach)
            let next = max(forgiven[group] ?? now, now).advanced(byMicroseconds: FailureLimit.microsecondsEach)
            forgiven[group] = min(next, room)
        }
    }

    /// Returns the group of an address. For IPv6, the first 64 bits, which one customer usually gets.
    static func group(_ peer: String) -> String {
        IPAddress(peer)?.network.description ?? peer
    }
}
