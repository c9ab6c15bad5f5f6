internal import CMicroHTTPD
internal import Dispatch
internal import Synchronization

/// The limit on the bytes that all requests and responses of a process hold together. They are counted in reservations, for each owner.
///
/// An owner may hold as many bytes as are free when it asks. A single owner gets half of the budget, a second one a quarter, and so
/// on. An owner that holds nothing therefore finds room even if all others hold as much as they may.
final class MemoryBudget: Sendable {
    /// Bytes that an owner holds until it releases them.
    struct Reservation: Sendable {
        let owner: String
        let bytes: Int
    }

    fileprivate struct State {
        var heldBytes = 0
        var byOwner: [String: Int] = [:]
        var isTrimPlanned = false
    }

    private let limitBytes: Int
    private let state = Mutex(State())
    private let trimming = DispatchQueue(label: "muniment.memory", qos: .utility)

    /// - Parameter limitBytes: the limit on the bytes of all reservations together.
    init(limitBytes: Int) {
        self.limitBytes = limitBytes
        // Larger blocks are returned to the system when they are freed. By default, the C library raises this threshold to the
        // largest block that was ever freed, and keeps smaller blocks.
        mallopt(M_MMAP_THRESHOLD, 256 << 10)
    }

    /// Reserves bytes. If nothing is reserved, any number of bytes is accepted.
    ///
    /// - Returns: nil if the owner would exceed its limit.
    func reserve(_ bytes: Int, for owner: String) -> Reservation? {
        state.withLock { state -> Reservation? in
            let held = state.byOwner[owner, default: 0] + bytes
            guard state.heldBytes == 0 || held <= limitBytes - state.heldBytes else { return nil }
            return state.add(bytes, for: owner)
        }
    }

    /// Counts bytes that are already in use, without a limit.
    func count(_ bytes: Int, for owner: String) -> Reservation { state.withLock { $0.add(bytes, for: owner) } }

    /// Ends a reservation. A second later, the memory that the process has freed is returned to the system.
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
