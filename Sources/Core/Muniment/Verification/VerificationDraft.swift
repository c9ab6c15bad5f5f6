internal import Files
internal import Foundation

/// The folder of the index that a verification folds. A lock in it shows that its verification still runs.
struct VerificationDraft {
    private static let prefix = "verify-"

    let path: String
    private let lock: FileLock

    /// Makes an empty folder in another one.
    init(in parent: String) throws {
        path = "\(parent)/\(Self.prefix)\(UUID().uuidString)"
        try makeFolder(path)
        do {
            lock = try FileLock(path: Self.lockFile(of: path), holder: processDescription())
        } catch {
            try? removeFlatFolder(path)
            throw error
        }
    }

    func remove() {
        try? removeFlatFolder(path)
        lock.release()
    }

    /// Removes the folders that killed verifications have left in a store. A verification that runs keeps its own. Not for the folder of
    /// temporary files, where other users may have files of the same names.
    static func removeAbandoned(in store: String) {
        let names = (try? fileNames(in: store)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let draft = "\(store)/\(name)"
            guard fileExists(lockFile(of: draft)), !FileLock.isHeld(path: lockFile(of: draft)) else { continue }
            try? removeFlatFolder(draft)
        }
    }

    private static func lockFile(of draft: String) -> String { draft + "/verify.lock" }
}
