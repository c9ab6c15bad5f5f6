internal import Events
internal import Files
internal import Muniment

/// The times of the last backup and of the last successful verification of each store of a data directory.
///
/// A time is that of a file, because a service can read it even if another user made the backup.
public struct LastRun: Sendable {
    public enum Kind: String, Sendable {
        case backup, verification
    }

    private let directory: String

    public init(dataDirectory: String) { directory = dataDirectory }

    /// Records the present as a time. Does nothing in a folder that no service has used, and in a backup, which is never changed.
    ///
    /// - Parameters:
    ///   - kind: a backup or a verification.
    ///   - store: the name of the store.
    ///   - text: a description for people.
    /// - Throws: a file error.
    public func record(_ kind: Kind, of store: StoreName, _ text: String) throws {
        guard isFolder(directory + "/.muniment"), !DataBackup.exists(at: directory) else { return }
        try replaceFile(path(kind, store), with: Array((text + "\n").utf8), isShared: true)
    }

    /// Returns the time; nil if it was never recorded.
    func time(_ kind: Kind, of store: StoreName) -> Instant? {
        modificationSeconds(of: path(kind, store)).map { Instant(microseconds: Int64($0 * 1e6)) }
    }

    private func path(_ kind: Kind, _ store: StoreName) -> String { "\(directory)/.muniment/last-\(kind.rawValue)-\(store)" }
}
