internal import Events
internal import Files
internal import Foundation
internal import Muniment

/// What a service would find in a data directory. Reading it changes nothing.
public struct DataDirectorySurvey: Sendable {
    /// Whether the folder exists.
    public let exists: Bool
    /// The stores in the folder, sorted. Includes stores whose log is missing.
    public let stores: [StoreName]
    /// Recorded stores whose folder is missing, sorted.
    public let missing: [StoreName]
    /// Why no service can start on the folder; nil if one can.
    public let problem: String?

    /// - Throws: an error of the file system.
    public init(_ path: String) throws {
        exists = isFolder(path)
        if DataBackup.exists(at: path) {
            (stores, missing, problem) = ([], [], "\(BackupError.isNotWritable(path: path))")
        } else if exists, !mayWrite(to: path) {
            // Such a user can often not list the stores either.
            (stores, missing) = ([], [])
            problem = "this user may not write to `\(path)`: run the check as the user of the service"
        } else if exists {
            (stores, missing, problem) = (try Self.storeNames(in: path), try Self.missingNames(in: path), nil)
        } else {
            (stores, missing) = ([], [])
            problem = fileExists(path) ? "`\(path)` is not a folder: name a folder" : nil
        }
    }

    static func storeNames(in path: String) throws -> [StoreName] {
        try FileManager.default.contentsOfDirectory(atPath: path).compactMap(StoreName.init)
            .filter { [path] in Store.hasFiles(at: "\(path)/\($0)") }.sorted()
    }

    static func missingNames(in path: String) throws -> [StoreName] {
        let heads = path + "/.muniment/heads"
        guard fileExists(heads) else { return [] }
        return try fileNames(in: heads).compactMap(StoreName.init).filter { try Store.isMissing(at: path + "/" + $0.text) }.sorted()
    }
}

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
