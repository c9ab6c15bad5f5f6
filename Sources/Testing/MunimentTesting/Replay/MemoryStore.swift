public import Events
internal import Foundation
internal import Histories
internal import Muniment

/// A real store in a temporary folder with a separate clock. The folder is in memory if the machine supports that.
final class MemoryStore {
    let store: Store
    private let clock: ScenarioClock
    private let folder: String

    /// - Parameter history: the history that defines the initial state of the store.
    init(for history: History) throws {
        let place = MemoryStore.place.appending(path: "muniment-replay-\(UUID().uuidString)")
        folder = place.path(percentEncoded: false)
        clock = ScenarioClock(history.start)
        store = try Store.create(
            at: folder, preset: history.preset, administrator: history.administrator,
            options: StoreOptions(clock: { [clock] in clock.now }, expiryRecording: .withCommits, mapBytes: MemoryStore.mapBytes))
    }

    deinit {
        // The contents of the folder are not needed after this.
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var now: Instant { clock.now }

    /// Advances the clock.
    ///
    /// - Throws: ``HistoryError`` if the time is earlier than the current one.
    func moveClock(to instant: Instant) throws(HistoryError) {
        guard instant >= clock.now else { throw .timeGoesBack(to: instant, from: clock.now) }
        clock.advance(to: instant)
    }

    /// Replays are small; the map grows if necessary.
    private static let mapBytes = 1 << 26

    /// A memory file system, which makes syncing free. If it is missing or almost full, as in many containers, the temporary folder
    /// on disk is used.
    private static let place: URL = {
        let files = FileManager.default
        let free = (try? files.attributesOfFileSystem(forPath: "/dev/shm"))?[.systemFreeSize] as? NSNumber
        let isRoomy = (free?.uint64Value ?? 0) >= roomBytes
        return isRoomy && files.isWritableFile(atPath: "/dev/shm")
            ? URL(filePath: "/dev/shm", directoryHint: .isDirectory) : files.temporaryDirectory
    }()

    /// The minimum free memory for concurrent replays.
    private static let roomBytes: UInt64 = 1 << 28
}

/// A history that cannot be replayed.
public enum HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An entry is earlier than the previous one.
    case timeGoesBack(to: Instant, from: Instant)

    public var description: String {
        switch self {
        case .timeGoesBack(let instant, let from):
            "the history goes back in time: \(instant) is before \(from); sort the steps by time"
        }
    }
}
