internal import EventLog
internal import Events
internal import Files
internal import LMDB

/// A store's log is damaged, was rolled back, or differs from the shared log, or this process may not access the store's files. A person
/// must repair the store before it can be opened.
public struct UnusableStoreError: Error, CustomStringConvertible {
    /// The error of the opening.
    public let reason: any Error
    private let path: String

    /// - Parameters:
    ///   - error: an error of opening a store.
    ///   - path: the folder of the store.
    /// - Returns: nil for an error of another kind: one that can end without a repair, one of the index, which is made from the log, or a
    ///   log that a later version of Muniment has written.
    public init?(_ error: any Error, at path: String) {
        guard error.isLackOfAccess(in: path) || error.isDamage(inLog: StoreFolder(path).log) else { return nil }
        (reason, self.path) = (error, path)
    }

    /// The reason, and the command to use.
    public var description: String {
        switch reason {
        // Their descriptions contain the command.
        case StoreError.rolledBack, StoreError.headIsDamaged, is SharedLogError: "\(reason)"
        case _ where reason.isLackOfAccess(in: path):
            "\(reason). Give the files to the user of the service: `chown -R USER \(path)`"
        default:
            fileExists(StoreFolder(path).sharedMark)
                ? "\(reason). Move `\(path)` away; the store is then copied again from the shared log"
                : "\(reason). Move `\(path)` away, then run `muniment restore BACKUP --store \(path)`"
        }
    }
}

extension Error {
    /// Whether this process may not access a file of the store in a folder.
    fileprivate func isLackOfAccess(in folder: String) -> Bool {
        switch self {
        case let error as FileError: error.isNotPermitted && error.path.hasPrefix(folder)
        case let error as StorageError: error.kind == .notPermitted && error.path.hasPrefix(folder)
        default: false
        }
    }

    fileprivate func isDamage(inLog log: String) -> Bool {
        switch self {
        case let error as StoreError: error.isDamage
        case let error as LogError: error.isDamage
        case let error as SharedLogError: if case .diverged = error { true } else { false }
        case let error as StorageError:
            [.notADatabase, .versionMismatch, .corrupted].contains(error.kind) && error.path.hasPrefix(log)
        default: false
        }
    }
}

extension LogError {
    fileprivate var isDamage: Bool {
        switch self {
        case .stopped, .displaced: false
        case .unreadable(_, let error), .unreadableRefusal(_, let error): !error.isOfLaterVersion
        default: true
        }
    }
}

extension StoreError {
    fileprivate var isDamage: Bool {
        switch self {
        case .rolledBack, .headIsDamaged, .logIsLost: true
        default: false
        }
    }
}
