public import Events
internal import Foundation
internal import Muniment
internal import Synchronization

/// A real store in a folder that lives in memory where the machine has such a place, by a clock of its own.
final class MemoryStore {
    let store: Store
    private let clock: ReplayClock
    private let folder: String

    /// - Parameter history: says how the store begins.
    init(for history: History) throws {
        let place = MemoryStore.place.appending(path: "muniment-replay-\(UUID().uuidString)")
        folder = place.path(percentEncoded: false)
        clock = ReplayClock(history.start)
        store = try Store.create(
            at: folder, preset: history.preset, administrator: history.administrator,
            options: StoreOptions(clock: { [clock] in clock.now }, recordsEnds: .withCommits, mapBytes: MemoryStore.mapBytes))
    }

    /// Closes the store and removes it.
    func remove() {
        // What the folder holds is not wanted any more.
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var now: Instant { clock.now }

    /// Moves the clock on.
    ///
    /// - Throws: ``HistoryError`` where it would go back.
    func moveClock(to instant: Instant) throws(HistoryError) {
        guard instant >= clock.now else { throw .timeGoesBack(to: instant, from: clock.now) }
        clock.move(to: instant)
    }

    /// Replays are small; maps grow where one is not.
    private static let mapBytes = 1 << 26

    /// Where files are pages of memory, so that syncing them costs nothing; elsewhere where there is no such place, or little
    /// room in it, as in many containers.
    private static let place: URL = {
        let files = FileManager.default
        let free = (try? files.attributesOfFileSystem(forPath: "/dev/shm"))?[.systemFreeSize] as? NSNumber
        let isRoomy = (free?.uint64Value ?? 0) >= roomBytes
        return isRoomy && files.isWritableFile(atPath: "/dev/shm")
            ? URL(filePath: "/dev/shm", directoryHint: .isDirectory) : files.temporaryDirectory
    }()

    /// The room that replays side by side have in memory at least.
    private static let roomBytes: UInt64 = 1 << 28
}

/// A clock that stands still until it is moved.
private final class ReplayClock: Sendable {
    private let instant: Mutex<Instant>

    init(_ start: Instant) { instant = Mutex(start) }

    var now: Instant { instant.withLock { $0 } }

    func move(to moment: Instant) { instant.withLock { $0 = moment } }
}

/// A history that cannot be replayed as it is written.
public enum HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Something is to happen before what stands before it.
    case timeGoesBack(to: Instant, from: Instant)

    public var description: String {
        switch self {
        case .timeGoesBack(let instant, let from):
            "the history goes back in time: \(instant) is before \(from); put what happens into the order of its times"
        }
    }
}
