internal import CMicroHTTPD
internal import Dispatch
internal import Synchronization

/// The bytes that the requests and responses of a process may hold together, counted in reservations, with a share for each owner.
///
/// An owner may hold as many bytes as nobody holds when it asks. A single owner gets half of the budget, a second one a quarter, and so
/// on, so that an owner that holds nothing finds room while others hold all that they may.
final class MemoryBudget: Sendable {
    /// Bytes that an owner holds until they are released.
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

    /// - Parameter limitBytes: Bytes that reservations may reach together.
    init(limitBytes: Int) {
        self.limitBytes = limitBytes
        // Larger blocks go back to the system when they are freed. By default the C library raises this size to that of the
        // largest block that was ever freed, and keeps what is below.
        mallopt(M_MMAP_THRESHOLD, 256 << 10)
    }

    /// Reserves bytes. A budget of which nothing is reserved admits any number.
    ///
    /// - Returns: nil if the owner would hold more than its share.
    func reserve(_ bytes: Int, for owner: String) -> Reservation? {
        state.withLock { state -> Reservation? in
            let held = state.byOwner[owner, default: 0] + bytes
            guard state.heldBytes == 0 || held <= limitBytes - state.heldBytes else { return nil }
            return state.add(bytes, for: owner)
        }
    }

    /// Reserves bytes that are in use already, without a limit.
    func count(_ bytes: Int, for owner: String) -> Reservation { state.withLock { $0.add(bytes, for: owner) } }

    /// Ends a reservation. A second later, what the process has freed is returned to the system.
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
