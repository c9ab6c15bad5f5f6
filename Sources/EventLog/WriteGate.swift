internal import Synchronization

/// Lets nothing be written any more after a write that failed.
///
/// LMDB would go on after a failed sync, and acknowledge what is not on the disk.
final class WriteGate: Sendable {
    private let reason = Mutex<String?>(nil)

    /// Why nothing is written any more; nil while it is.
    var failure: String? { reason.withLock { $0 } }

    /// Shuts the gate; the first reason stays.
    func shut(_ reason: String) { self.reason.withLock { $0 = $0 ?? reason } }

    /// Writes, or says that nothing is written any more.
    ///
    /// - Throws: ``LogError/stopped(_:)``, or what `write` throws, which shuts the gate.
    func pass(_ write: () throws -> Void) throws {
        if let failure { throw LogError.stopped(failure) }
        do { try write() } catch {
            shut("\(error)")
            throw error
        }
    }
}
