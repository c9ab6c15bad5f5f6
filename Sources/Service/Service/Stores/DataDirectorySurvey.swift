internal import Events
internal import Files
internal import Foundation
internal import Muniment

/// The state of a data directory, as a service would find it. Reading it changes nothing.
public struct DataDirectorySurvey: Sendable {
    /// Whether the folder exists.
    public let exists: Bool
    /// The stores in the folder, sorted. Includes stores with a missing log.
    public let stores: [StoreName]
    /// Recorded stores without a folder, sorted.
    public let missing: [StoreName]
    /// The files and folders that other users can open. A start closes them.
    public let openToOthers: [String]
    /// Why no service can start on the folder; nil if one can.
    public let problem: String?

    /// - Throws: an error of the file system.
    public init(_ path: String) throws {
        exists = isFolder(path)
        problem = Self.problem(of: path)
        guard exists, case nil = problem else {
            (stores, missing, openToOthers) = ([], [], [])
            return
        }
        (stores, missing) = (try Self.storeNames(in: path), try Self.missingNames(in: path))
        openToOthers = try Self.privateFolders(in: path).flatMap { Files.openToOthers($0.path, isDeep: $0.isWhole) }.sorted()
    }

    private static func problem(of path: String) -> String? {
        if DataBackup.exists(at: path) { return "\(BackupError.isNotWritable(path: path))" }
        guard isFolder(path) else { return fileExists(path) ? "`\(path)` is not a folder: name a folder" : nil }
        // Another user can often not list the stores either.
        return mayWrite(to: path) ? nil : "this user may not write to `\(path)`: run the check as the user of the service"
    }

    /// The folders that only their owner may open, whole or without their content: the service's own files, all stores, and the data
    /// directory itself, unless every user may create files in it, as in `/tmp`.
    static func privateFolders(in path: String) throws -> [(path: String, isWhole: Bool)] {
        let stores = try storeNames(in: path).map { (path: "\(path)/\($0)", isWhole: true) }
        let isForAll = fileMode(path).map { $0 & 0o1000 != 0 } ?? true
        return (isForAll ? [] : [(path, false)]) + [(path + "/.muniment", true)] + stores
    }

    static func storeNames(in path: String) throws -> [StoreName] {
        try fileNames(in: path).compactMap(StoreName.init)
            .filter { name in
                let folder = "\(path)/\(name)"
                // A folder that this process may not look into may contain a store.
                return Store.hasFiles(at: folder) || (try? Files.exists(folder + "/log")) == nil
            }.sorted()
    }

    static func missingNames(in path: String) throws -> [StoreName] {
        let heads = path + "/.muniment/heads"
        guard fileExists(heads) else { return [] }
        // A folder without access is not missing.
        return try fileNames(in: heads).compactMap(StoreName.init).filter { name in
            (try? Store.absence(at: "\(path)/\(name)")).flatMap { $0 } != nil
        }.sorted()
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
