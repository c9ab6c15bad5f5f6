internal import Events
internal import Hashing
internal import Synchronization

/// The large rows of an open log whose hash was computed and is right.
///
/// Many events can be read from one large commit, each for another page. A row never changes, so its hash is computed for the first
/// of these reads. Checks of the whole log do not use this.
final class SoundRows: Sendable {
    /// Smaller rows are not remembered: their hash takes less time than the rest of the work.
    private static let minimumBytes = 1 << 14
    private static let limit = 1024

    private let hashes = Mutex<[Revision: Digest]>([:])

    func contains(_ row: LogRow, at revision: Revision) -> Bool {
        row.body.count >= Self.minimumBytes && hashes.withLock { $0[revision] } == row.hash
    }

    /// Adds a row whose hash is right, if it is large.
    func insert(_ row: LogRow, at revision: Revision) {
        guard row.body.count >= Self.minimumBytes else { return }
        hashes.withLock { hashes in
            if hashes.count >= Self.limit { hashes.removeAll() }
            hashes[revision] = row.hash
        }
    }
}
