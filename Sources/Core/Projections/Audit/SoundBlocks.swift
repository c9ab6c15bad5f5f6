internal import LMDB
internal import Synchronization

/// The keys of the audit blocks whose checksum was computed and is right, since the index was opened.
final class SoundBlocks: Sendable {
    private let keys = Mutex<Set<FixedKey>>([])

    func contains(_ key: FixedKey) -> Bool { keys.withLock { $0.contains(key) } }

    func insert(_ key: FixedKey) { _ = keys.withLock { $0.insert(key) } }
}
