internal import CMicroHTTPD
internal import Dispatch
internal import Synchronization

/// The bytes that the requests and responses of a process may hold together, counted in reservations.
///
/// A request reserves the length of its body before the body is read, and is refused if that is too much. A response is
/// reserved without a limit, since its memory is in use already; new requests then wait for its end.
final class MemoryBudget: Sendable {
    private let limitBytes: Int
    private let heldBytes = Atomic(0)
    private let trimming = DispatchQueue(label: "muniment.memory", qos: .utility)

    /// - Parameter limitBytes: Bytes that reservations of requests may reach, with those of responses.
    init(limitBytes: Int) {
        self.limitBytes = limitBytes
        // Larger blocks go back to the system when they are freed. By default the C library raises this size to that of the
        // largest block that was ever freed, and keeps what is below.
        mallopt(M_MMAP_THRESHOLD, 256 << 10)
    }

    /// Reserves bytes, unless the limit would be exceeded. A budget of which nothing is reserved admits any number.
    func reserve(_ bytes: Int) -> Bool {
        let before = heldBytes.add(bytes, ordering: .relaxed).oldValue
        if before == 0 || before + bytes <= limitBytes { return true }
        release(bytes)
        return false
    }

    /// Reserves bytes that are in use already.
    func count(_ bytes: Int) { heldBytes.add(bytes, ordering: .relaxed) }

    /// Ends a reservation. With the last one, what the process has freed is returned to the system.
    func release(_ bytes: Int) {
        guard bytes > 0, heldBytes.subtract(bytes, ordering: .relaxed).newValue == 0 else { return }
        trimming.async { malloc_trim(0) }
    }
}
