internal import CMicroHTTPD
internal import Dispatch
internal import Synchronization

/// Limits the memory of all requests and responses of a process, with reservations and a share for each owner.
///
/// An owner may hold as many bytes as are free when it asks. A single owner gets half of the budget, a second one a quarter, and so
/// on. So a new owner finds space even if others hold their full shares.
final class MemoryBudget: Sendable {
    private let limitBytes: Int
    private let heldBytes = Atomic(0)
    private let trimming = DispatchQueue(label: "muniment.memory", qos: .utility)

    /// - Parameter limitBytes: the largest sum of all reservations in bytes.
    init(limitBytes: Int) {
        self.limitBytes = limitBytes
        // Blocks above this size return to the system when they are freed. By default, the C library raises the threshold to the
        // size of the largest freed block, and keeps smaller ones.
        mallopt(M_MMAP_THRESHOLD, 256 << 10)
    }

    /// Reserves bytes. An empty budget accepts any number.
    ///
    /// - Returns: nil if the owner would exceed its share.
    func reserve(_ bytes: Int, for owner: String) -> Reservation? {
        state.withLock { state -> Reservation? in
            let held = state.byOwner[owner, default: 0] + bytes
            guard state.heldBytes == 0 || held <= limitBytes - state.heldBytes else { return nil }
            return state.add(bytes, for: owner)
        }
    }

    /// Reserves bytes that are already in use, without a limit.
    func count(_ bytes: Int, for owner: String) -> Reservation { state.withLock { $0.add(bytes, for: owner) } }

    /// Releases a reservation. A second later, freed memory of the process is returned to the system.
    func release(_ reservation: Reservation) {
        let plansTrim = state.withLock { state in
            state.heldBytes -= reservation.bytes
            let held = state.byOwner[reservation.owner, default: 0] - reservation.bytes
            state.byOwner[reservation.owner] = held == 0 ? nil : held
            defer { state.isTrimPlanned = true }
            return !state.isTrimPlanned
        }
        guard plansTrim else { return }
        trimming.asyncAfter(deadline: .now() + 1) {
            self.state.withLock { $0.isTrimPlanned = false }
            malloc_trim(0)
        }
    }
}

extension MemoryBudget.State {
    fileprivate mutating func add(_ bytes: Int, for owner: String) -> MemoryBudget.Reservation {
        heldBytes += bytes
        byOwner[owner, default: 0] += bytes
        return MemoryBudget.Reservation(owner: owner, bytes: bytes)
    }
}
