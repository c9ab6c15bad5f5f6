internal import Glibc
internal import Synchronization

/// Shared by readers, exclusive to whoever moves the map.
///
/// A map moves rarely, and reads are many: whoever waits to move it holds new reads up, or they would never leave it a moment.
/// No read is held up for longer than ``patienceMilliseconds``, since it may be one inside another on the same thread, which the
/// mover in turn waits for.
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
