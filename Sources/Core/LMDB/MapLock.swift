internal import Glibc
internal import Synchronization

/// A lock that readers share, and that is exclusive while the map is moved.
///
/// Moving is rare, and reads are frequent: a waiting mover delays new reads, since otherwise it would never get the lock. No read
/// is delayed for longer than ``patienceMilliseconds``: it may be nested in another read of the same thread, and the mover waits
/// for that one.
@safe final class MapLock: @unchecked Sendable {
    private static let patienceMilliseconds = 1000

    private let lock: UnsafeMutablePointer<pthread_rwlock_t>
    private let moversWaiting = Atomic<Int>(0)

    init() {
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_rwlock_t())
        unsafe pthread_rwlock_init(lock, nil)
    }

    deinit {
        unsafe pthread_rwlock_destroy(lock)
        unsafe lock.deallocate()
    }

    func lockShared() {
        if moversWaiting.load(ordering: .relaxed) > 0 { standBack() }
        unsafe pthread_rwlock_rdlock(lock)
    }

    private func standBack() {
        for _ in 0..<Self.patienceMilliseconds {
            usleep(1000)
            if moversWaiting.load(ordering: .relaxed) == 0 { return }
        }
    }

    func lockExclusively() {
        moversWaiting.add(1, ordering: .relaxed)
        unsafe pthread_rwlock_wrlock(lock)
        moversWaiting.subtract(1, ordering: .relaxed)
    }

    func unlock() { unsafe pthread_rwlock_unlock(lock) }
}
