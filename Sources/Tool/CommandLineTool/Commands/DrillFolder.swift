import Files
import Foundation
import Glibc
import Synchronization

/// A temporary folder for the copy of a backup. It contains a lock that ends with the process.
final class DrillFolder: Sendable {
    let path: String
    private let lock: FileLock
    private let removal = Mutex(())

    private static let prefix = "muniment-drill-"
    private static let lockName = "/drill.lock"
    /// A younger folder can belong to a process that has not taken its lock yet.
    private static let youngestLeftoverSeconds: TimeInterval = 60
    private static let attempts = 20

    /// Creates the folder. Removes folders that earlier drills of the same user left, for example after a power failure.
    init() throws {
        let parent = FileManager.default.temporaryDirectory
        DrillFolder.removeLeftovers(in: parent.path)
        path = parent.appending(path: DrillFolder.prefix + UUID().uuidString).path
        try makeFolder(path)
        lock = try FileLock(path: path + DrillFolder.lockName, holder: processDescription())
    }

    /// Removes the folder.
    func remove() {
        removal.withLock { _ in
            try? FileManager.default.removeItem(atPath: path)
            lock.release()
        }
    }

    /// Removes the folder while another thread may still write into it, and ends the process. The other thread waits in ``remove()``.
    func remove(exitingWith code: Int32) -> Never {
        removal.withLock { _ in
            for _ in 0..<DrillFolder.attempts where isFolder(path) { try? FileManager.default.removeItem(atPath: path) }
            _exit(code)
        }
    }

    private static func removeLeftovers(in parent: String) {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
            let path = parent + "/" + name
            guard let attributes = try? files.attributesOfItem(atPath: path),
                attributes[.type] as? FileAttributeType == .typeDirectory,
                (attributes[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid(),
                let changed = attributes[.modificationDate] as? Date, -changed.timeIntervalSinceNow > youngestLeftoverSeconds,
                !FileLock.isHeld(path: path + lockName)
            else { continue }
            try? files.removeItem(atPath: path)
        }
    }
}
