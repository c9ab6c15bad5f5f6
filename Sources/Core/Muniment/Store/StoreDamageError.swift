internal import EventLog
internal import Events
internal import LMDB
internal import Projections

/// Damage of a store's files. The store cannot be opened before a person has repaired it.
public struct StoreDamageError: Error, CustomStringConvertible {
    /// The error of the opening.
    public let reason: any Error
    private let path: String

    /// - Parameters:
    ///   - error: an error of opening a store.
    ///   - path: the folder of the store.
    /// - Returns: nil for an error that can end without a repair, such as a lack of file descriptors.
    public init?(_ error: any Error, at path: String) {
        guard error.isDamage else { return nil }
        (reason, self.path) = (error, path)
    }

    /// The reason, and the command to use.
    public var description: String {
        switch reason {
        // Their descriptions contain the command.
        case StoreError.rolledBack, StoreError.headIsDamaged, is SharedLogError: "\(reason)"
        default: "\(reason). Move `\(path)` away, then run `muniment restore BACKUP --store \(path)`"
        }
    }
}

extension Error {
    fileprivate var isDamage: Bool {
        switch self {
        case let error as StoreError: error.isDamage
        case let error as LogError: error.isDamage
        case let error as SharedLogError: if case .diverged = error { true } else { false }
        case let error as StorageError:
            [.notADatabase, .versionMismatch, .corrupted, .diskFailed].contains(error.kind)
        default: self is IndexError || self is CodecError
        }
    }
}

extension LogError {
    fileprivate var isDamage: Bool {
        switch self {
        case .stopped, .displaced: false
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
