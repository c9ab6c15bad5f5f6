internal import Files

/// The time of the last backup of each store of a data directory.
///
/// It is the time of a file, because a service can read this time even if another user made the backup.
public struct LastBackup: Sendable {
    private let folder: String

    public init(dataDirectory: String) { folder = dataDirectory + "/.muniment" }

    /// Records that a backup of a store was made now. Does nothing in a folder that no service has used.
    ///
    /// - Parameters:
    ///   - store: the name of the store.
    ///   - text: a description of the backup for people.
    /// - Throws: a file error.
    public func record(_ store: StoreName, _ text: String) throws {
        guard isFolder(folder) else { return }
        try replaceFile(path(store), with: Array((text + "\n").utf8))
    }

    /// The time in seconds since 1970; nil without a backup.
    func seconds(of store: StoreName) -> Double? { modificationSeconds(of: path(store)) }

    private func path(_ store: StoreName) -> String { "\(folder)/last-backup-\(store)" }
}
