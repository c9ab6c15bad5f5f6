internal import Synchronization

/// Blocks all writes after a failed write.
///
/// LMDB would continue after a failed sync, and acknowledge data that is not on the disk.
final class WriteGate: Sendable {
    private let reason = Mutex<String?>(nil)

    /// The reason writes are blocked; nil while they are allowed.
    var failure: String? { reason.withLock { $0 } }

    /// Blocks writes; the first reason is kept.
    func shut(_ reason: String) { self.reason.withLock { $0 = $0 ?? reason } }

    /// Performs a write, or throws if writes are blocked.
    ///
    /// - Throws: ``LogError/stopped(_:)``, or the error of `write`, which blocks all later writes.
    func pass(_ write: () throws -> Void) throws {
        if let failure { throw LogError.stopped(failure) }
        do { try write() } catch {
            shut("\(error)")
            throw error
        }
    }
}
