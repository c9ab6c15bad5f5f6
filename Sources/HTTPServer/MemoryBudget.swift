internal import Synchronization

/// The bytes that the requests and responses of a process may hold together, counted in reservations.
///
/// A request reserves the length of its body before the body is read, and is refused if that is too much. A response is
/// reserved without a limit, since its memory is in use already; new requests then wait for its end.
final class MemoryBudget: Sendable {
    private let limitBytes: Int
    private let heldBytes = Atomic(0)

    /// - Parameter limitBytes: Bytes that reservations of requests may reach, with those of responses.
    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// Reserves bytes, unless the limit would be exceeded. A budget of which nothing is reserved admits any number.
    func reserve(_ bytes: Int) -> Bool {
        let before = heldBytes.add(bytes, ordering: .relaxed).oldValue
        if before == 0 || before + bytes <= limitBytes { return true }
        release(bytes)
        return false
    }

    /// Reserves bytes that are in use already.
    func count(_ bytes: Int) { heldBytes.add(bytes, ordering: .relaxed) }

    func release(_ bytes: Int) { heldBytes.subtract(bytes, ordering: .relaxed) }
}
